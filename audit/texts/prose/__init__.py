"""Licences in people's own words: which part is under which, a choice between several, lists of what is bundled.

Nothing here knows a licence's text: names of licences are read, and what is not understood is said to be so.
"""
