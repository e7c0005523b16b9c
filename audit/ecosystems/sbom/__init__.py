"""What SBOMs in a tree say: CycloneDX, and SPDX in every notation.

The table of `audit.ecosystems` comes in here.
"""
