"""Whether the rows are what the log says. The commands and jobs that verify come in here, and nobody else."""
