"""Inside the guest: `MODULE.FUNCTION ARGUMENTS ANSWER` calls a function here, from JSON to JSON."""

import importlib
import json
import sys
from pathlib import Path

if __name__ == "__main__":
    name, arguments, answer = sys.argv[1:]
    module, _, function = name.rpartition(".")
    called = getattr(importlib.import_module(f"tests.lab.guest.{module}"), function)
    given = json.loads(Path(arguments).read_text(encoding="utf-8"))
    Path(answer).write_text(json.dumps(called(**given)), encoding="utf-8")
