"""Shows at GitHub what was found: check run, label, comment; each once, and only when it changes."""
