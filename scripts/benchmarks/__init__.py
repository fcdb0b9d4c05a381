"""Benchmarks: what is measured beside a peer or a limit in the same run."""
