"""Identity: the people of a pull request, when two spellings are one person, and who can certify at all.

Pure; the CLA and the DCO stand on it.
"""
