"""Licence texts: which licence a file's text is, word for word, and whose copyright stands in it.

The scan comes in here, and all callers that ask what a text is.
"""
