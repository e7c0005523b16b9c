"""SBOMs in a tree: CycloneDX, and SPDX in every notation.

The table of `audit.ecosystems` comes in here.
"""
