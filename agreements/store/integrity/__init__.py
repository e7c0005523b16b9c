"""Verification that the rows are as the log says. Only the commands and jobs that verify use it."""
