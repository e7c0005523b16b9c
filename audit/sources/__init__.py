"""Where licences are learned from outside of a checkout: other commands and other machines."""
