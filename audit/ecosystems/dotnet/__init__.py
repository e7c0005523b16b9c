"""What NuGet and MSBuild write down: project files, central versions, packages.config, packages.lock.json, tool manifests.

Only `audit.ecosystems` comes in, by the `read` of each module.
"""
