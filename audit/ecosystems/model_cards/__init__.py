"""Files that speak for weights of models and for data sets: cards, configurations, metadata of data sets, headers of GGUF.

Only `audit.scan` comes in, by the `read` of each module, since names alone do not tell that such a file is of a model.
"""
