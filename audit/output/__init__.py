"""Forms in which an audit is handed on to other programs: CycloneDX, SARIF, CSV, and what SBOMs share.

They are made of an edition alone; only `audit.writing` and `audit.sbom` come in from the audit.
"""
