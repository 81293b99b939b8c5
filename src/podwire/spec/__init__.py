"""podwire's own input, `kind: Wiring`: what the owner of the machines wants."""
