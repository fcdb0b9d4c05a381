"""What streams say: events, what they add up to, and the decisions that need nothing else."""
