"""`bundle.json`: when and how a bundle was collected."""

from datetime import datetime

import msgspec

from podwire.collect.gathered import Gathered
from podwire.documents import json
from podwire.documents.text import decode_text, printable
from podwire.model.evidence import Document, Place

_KEYS = ("time", "collectedAt")


def time_of(data: bytes, *, document: Document, gathered: Gathered) -> str | None:
    """Give the time of collection, RFC 3339; the rest of the file is for people."""
    text, _ = decode_text(data)
    loaded = json.load(text)
    if loaded.problem is not None:
        gathered.problem(loaded.problem, document=document)
        return None
    tree = loaded.value if isinstance(loaded.value, dict) else {}
    key = next((key for key in _KEYS if tree.get(key) is not None), None)
    if key is None:
        return None
    value = tree[key]
    if isinstance(value, str) and _is_time(value):
        return value
    shown = printable(value if isinstance(value, str) else msgspec.json.encode(value).decode(), 40)
    message = f"expected a time like 2026-01-31T12:00:00Z, found {shown}"
    gathered.fault(message, place=Place(document=document, path=(key,)))
    return None


def _is_time(text: str) -> bool:
    """Without an offset nobody knows which hour it was."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
