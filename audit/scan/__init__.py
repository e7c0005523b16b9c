"""A tree of files becomes a Repository: what is walked, what is read, and what of it is another author's work.

Only `checkout` touches the file system; a tree at GitHub comes in by `walk`.
"""
