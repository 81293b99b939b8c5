#!/bin/sh
# The guest's `podwire`: the sources as they are here.
export PYTHONPATH=/lab/src:/lab/libraries
exec python3 -c 'from podwire.cli.main import entry; entry()' "$@"
