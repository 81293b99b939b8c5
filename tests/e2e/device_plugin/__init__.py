"""A device plugin for tests: offers made-up VFs to a real kubelet, as the SR-IOV one would.

It answers what kubelet asks, and no more: no preferred allocation, nothing before a start.
"""
