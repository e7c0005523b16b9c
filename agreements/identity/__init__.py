"""Identity: the people of a pull request, spellings that are one person, and the ability to certify. Pure; the CLA and the DCO stand on it."""
