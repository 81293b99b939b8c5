"""Applies rules to a picture: undecided instead of guessed, symptoms folded into causes."""
