"""Checks a deployment, or the manifests for one, and says item by item what is wrong and what to do about it.

`countersign doctor` and the last step of `setup` come in here, by `deployment` and `manifests`; nothing here changes anything.
"""
