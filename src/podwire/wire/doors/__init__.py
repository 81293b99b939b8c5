"""Which pod can get at which GPU that nobody gave it, by which door, and what closes the door."""
