"""JSON as Go's encoding/json takes it: what most programs around a pod read their input with.

`parsing` gives ordered members and Go's own words for what is no JSON, `fields` what a struct
takes from an object. Wording and rules: encoding/json of Go 1.26.8, run.
"""

from podwire.peers.go_json.fields import Fields, Kind, Member, Misfit, fields_of
from podwire.peers.go_json.parsing import NotJson, parse
from podwire.peers.go_json.values import Number, Object, Value, at, kind_of, written

__all__ = [
    "Fields",
    "Kind",
    "Member",
    "Misfit",
    "NotJson",
    "Number",
    "Object",
    "Value",
    "at",
    "fields_of",
    "kind_of",
    "parse",
    "written",
]
