"""Container files, and the commands of images and pipelines that install something.

Only `audit.ecosystems` comes in, by the `read` of each module.
"""
