"""Where the work is done: worker threads, the fair queue, processes for long questions."""
