"""What Countersign needs from GitHub, in small protocols; `pygithub` is the only one who fulfils them for real."""
