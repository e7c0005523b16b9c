"""The production checklist over Kubernetes manifests and compose files: read, judged item by item, graded.

`bot.doctor` comes in by `assessment`; nothing here talks to a cluster or a container engine.
"""
