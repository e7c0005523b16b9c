"""Domains and addresses in one spelling, shared providers, and characters that deceive the eye. Pure, and below everything else."""
