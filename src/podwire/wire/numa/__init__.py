"""Kubelet's Topology Manager on the nodes in sight: which pods it admits there, and why not."""
