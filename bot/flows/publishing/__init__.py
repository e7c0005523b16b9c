"""The items that are shown at GitHub, check run, label and comment; each is made once, and written if it changes."""
