"""A .link file and its drop-ins into what udev makes of them.

Source: systemd v252 src/udev/net/link-config.c link_load_one, link-config-gperf.gperf,
src/shared/net-condition.c, src/shared/conf-parser.c config_parse_ifname(s).
"""

from collections.abc import Sequence

from podwire.documents import ini
from podwire.documents.ini import Assignment
from podwire.model.evidence import Document, Place
from podwire.peers.systemd_link.names import refusal_of
from podwire.peers.systemd_link.records import (
    OF_THE_MACHINE,
    Condition,
    LinkFile,
    Refused,
    Setting,
)
from podwire.peers.systemd_words import UnbalancedError, words

_STRINGS = frozenset({"Path", "Driver", "Type", "Kind"})
_ADDRESSES = frozenset({"MACAddress", "PermanentMACAddress"})
_MATCH = _STRINGS | _ADDRESSES | OF_THE_MACHINE | {"OriginalName", "Property"}
POLICIES = frozenset({"kernel", "keep", "database", "onboard", "slot", "path", "mac"})
_ALTERNATIVE_POLICIES = POLICIES - {"kernel", "keep"}
_ADDRESS_POLICIES = frozenset({"persistent", "random", "none"})
_NAME_REFUSED = "Interface name is not valid or too long, ignoring assignment: {}"


def read_link(name: str, texts: Sequence[tuple[Document, str]]) -> LinkFile:
    """Read a file and then its drop-ins, in the order in which udev does.

    Args:
        name: of the file, which decides when its turn is.
        texts: the file and its drop-ins.
    """
    reader = _LinkReader()
    for document, text in texts:
        for assignment in ini.parse(text).assignments:
            reader.take(assignment, document=document)
    return reader.link(name, document=texts[0][0])


class _LinkReader:
    def __init__(self) -> None:
        self._patterns: dict[str, list[tuple[str, Place]]] = {}
        self._single: dict[str, Setting] = {}
        self._lists: dict[str, list[Setting]] = {}
        self._refused: list[Refused] = []

    def take(self, found: Assignment, *, document: Document) -> None:
        place = Place(document=document, path=found.path)
        if found.section == "Match" and found.key in _MATCH:
            self._match(found, place)
        elif found.section == "Link":
            self._set(found, place)

    def link(self, name: str, *, document: Document) -> LinkFile:
        conditions = tuple(
            Condition(key=key, patterns=tuple(p for p, _ in each), places=_places(each))
            for key, each in self._patterns.items()
            if each
        )
        policies = self._lists.get("NamePolicy")
        return LinkFile(
            name=name,
            document=document,
            conditions=conditions,
            has_match=bool(conditions),
            policies=None if policies is None else tuple(s.value for s in policies),
            policies_place=policies[0].place if policies else None,
            given_name=self._single.get("Name"),
            alternative_names=tuple(self._lists.get("AlternativeName", ())),
            address_policy=self._single.get("MACAddressPolicy"),
            vf_count=self._single.get("SR-IOVVirtualFunctions"),
            refused=tuple(self._refused),
        )

    # --- [Match] ------------------------------------------------------------------------

    def _match(self, found: Assignment, place: Place) -> None:
        if not found.value:
            self._patterns.pop(found.key, None)
        elif found.key in OF_THE_MACHINE:
            self._patterns[found.key] = [(found.value, place)]
        else:
            front = "!" if found.value.startswith("!") else ""
            for word in self._words(found, found.value.removeprefix("!"), place):
                if self._is_pattern(found.key, word, place):
                    self._patterns.setdefault(found.key, []).append((front + word, place))

    def _is_pattern(self, key: str, word: str, place: Place) -> bool:
        if key == "OriginalName" and (reason := refusal_of(word)):
            says = _NAME_REFUSED.format(word)
            self._refuse(key, word, place, reason=reason, says=says)
            return False
        if key == "Property" and "=" not in word[1:]:
            says = f"Invalid property or value, ignoring assignment: {word}"
            self._refuse(key, word, place, reason="is no NAME=VALUE", says=says)
            return False
        return True

    # --- [Link] -------------------------------------------------------------------------

    def _set(self, found: Assignment, place: Place) -> None:
        if found.key in {"NamePolicy", "AlternativeNamesPolicy"}:
            self._policy(found, place)
        elif found.key == "AlternativeName":
            self._alternative(found, place)
        elif found.key == "Name":
            self._name(found, place)
        elif found.key in {"MACAddressPolicy", "SR-IOVVirtualFunctions"}:
            self._single.pop(found.key, None)
            is_known = found.key != "MACAddressPolicy" or found.value in _ADDRESS_POLICIES
            if found.value and is_known:
                self._single[found.key] = Setting(value=found.value, place=place)

    def _policy(self, found: Assignment, place: Place) -> None:
        known = POLICIES if found.key == "NamePolicy" else _ALTERNATIVE_POLICIES
        kept: list[Setting] = []
        for word in self._words(found, found.value, place):
            if word in known:
                kept.append(Setting(value=word, place=place))
            else:
                says = f"Failed to parse interface name policy, ignoring: {word}"
                self._refuse(found.key, word, place, reason="is no policy", says=says)
        self._lists[found.key] = kept

    def _name(self, found: Assignment, place: Place) -> None:
        if not found.value:
            self._single.pop("Name", None)
        elif reason := refusal_of(found.value):
            says = _NAME_REFUSED.format(found.value)
            self._refuse("Name", found.value, place, reason=reason, says=says)
        else:
            self._single["Name"] = Setting(value=found.value, place=place)

    def _alternative(self, found: Assignment, place: Place) -> None:
        if not found.value:
            self._lists.pop(found.key, None)
            return
        for word in self._words(found, found.value, place):
            if reason := refusal_of(word, is_alternative=True):
                says = _NAME_REFUSED.format(word)
                self._refuse(found.key, word, place, reason=reason, says=says)
            else:
                kept = self._lists.setdefault(found.key, [])
                kept.append(Setting(value=word, place=place))

    # --- what they share ----------------------------------------------------------------

    def _words(self, found: Assignment, value: str, place: Place) -> tuple[str, ...]:
        is_name = found.key in {"OriginalName", "AlternativeName"} or "Polic" in found.key
        try:
            every = words(value, unquotes=not is_name, unescapes=found.key == "Property")
        except UnbalancedError:
            says = f"Invalid syntax, ignoring: {found.value}"
            self._refuse(found.key, found.value, place, reason="has an open quote", says=says)
            return ()
        return tuple(word.text for word in every)

    def _refuse(self, key: str, value: str, place: Place, *, reason: str, says: str) -> None:
        self._refused.append(Refused(key=key, value=value, place=place, reason=reason, says=says))


def _places(found: Sequence[tuple[str, Place]]) -> tuple[Place, ...]:
    return tuple(place for _, place in found)
