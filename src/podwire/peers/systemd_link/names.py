"""Names of net devices that udev accepts, and why it drops others.

Source: systemd v252 src/basic/socket-util.c ifname_valid_full; linux IFNAMSIZ, ALTIFNAMSIZ.
"""

import re

_LONGEST = 15
_LONGEST_ALTERNATIVE = 127
_FORBIDDEN = {":": "a colon", "/": "a slash", "%": "a percent sign"}
_NUMBER = re.compile(r"\d+|0[xX][0-9a-fA-F]+|0b[01]+|0o[0-7]+", re.ASCII)
_SPECIAL = frozenset({"all", "default", ".", ".."})


def refusal_of(name: str, *, is_alternative: bool = False) -> str | None:
    """Say why udev drops a name; None: it takes it as it stands, braces and all."""
    limit = _LONGEST_ALTERNATIVE if is_alternative else _LONGEST
    reasons = []
    if (size := len(name.encode())) > limit:
        reasons.append(f"{size} bytes long, {limit} are the limit")
    found = {character for character in name if not _is_valid(character)}
    reasons += [f"has {words}" for character, words in _FORBIDDEN.items() if character in found]
    if found - set(_FORBIDDEN):
        reasons.append("has a blank, a control character or one beyond ASCII")
    if name in _SPECIAL:
        reasons.append("is a name that the kernel's settings use")
    if _NUMBER.fullmatch(name):
        reasons.append("is a number")
    return " and ".join(reasons) or None


def _is_valid(character: str) -> bool:
    return 32 < ord(character) < 127 and character not in _FORBIDDEN
