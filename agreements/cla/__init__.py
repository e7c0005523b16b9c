"""The CLA: whether each contributor is covered, by themselves or by a company. Pure; only the judge asks it, and pages that preview a verdict."""
