"""Text into plain trees, and a path in a tree back into line and column.

Knows YAML, JSON, TOML and their traps; knows nothing of Kubernetes' objects. Input is data:
whatever a text holds, the answer is a tree or a `Problem`, never an exception.
"""
