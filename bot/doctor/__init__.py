"""Looks at a deployment, or at the manifests that would make one, and says item by item what is wrong and what to do.

`countersign doctor` and the last step of `setup` come in here, by `deployment` and `manifests`; nothing here changes anything.
"""
