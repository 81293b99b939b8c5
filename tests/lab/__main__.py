"""`python -m tests.lab`: builds and freezes what is missing, and says how long that took."""

import sys

from tests.lab.lab import UnavailableError, built_lab

if __name__ == "__main__":
    try:
        built_lab()
    except UnavailableError as lacks:  # the tests are skipped with the same words
        sys.stderr.write(f"lab: {lacks}\n")
