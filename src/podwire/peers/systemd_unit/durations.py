"""Spans of time as systemd writes them: `60`, `1min 30s`, `infinity`.

Source: systemd v252 src/basic/time-util.c parse_sec; 0 means no limit for TimeoutSec and
TimeoutStartSec (src/core/load-fragment.c config_parse_service_timeout).
"""

import re

_PIECE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z\u00b5\u03bc]*)", re.IGNORECASE)
_UNITS = {
    "": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
    "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6,
}  # fmt: skip


def limit_s(text: str) -> float | None:
    """Read a time limit in seconds; None: there is none, or nobody can read it."""
    stripped = text.strip()
    if stripped == "infinity":
        return None
    total, at = 0.0, 0
    while at < len(stripped):
        match = _PIECE.match(stripped, at)
        if match is None or match[2] not in _UNITS:
            return None
        total += float(match[1]) * _UNITS[match[2]]
        at = match.end()
    return total or None
