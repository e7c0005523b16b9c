"""What container images and pipelines install, command by command.

The table of `audit.ecosystems` comes in here.
"""
