"""VFs of this machine: observe, plan, act, once (docs/design/0005)."""
