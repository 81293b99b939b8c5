"""Tests against programs of this machine: no cluster, no hardware; a missing tool is a skip."""
