"""What has happened: events that show a fault happening stand among its evidence, last."""

import msgspec

from podwire.engine.report import Judged
from podwire.findings.model import Evidence
from podwire.peers.event_texts import decode
from podwire.wire.picture import Picture

_LONGEST = 160  # characters of an event; its end says what went wrong


def witnessed(judged: Judged, *, picture: Picture) -> Judged:
    """Add the first event, of any subject, that shows this fault happening."""
    situations = judged.rule.shows_as
    for ref in judged.subjects if situations else ():
        for event in picture.events_of.get(ref.whole, ()):
            decoded = decode(event.message)
            if decoded is not None and decoded.situation in situations:
                text = event.message
                saw = text if len(text) <= _LONGEST else f"...{text[-_LONGEST:]}"
                seen = Evidence(at=event.place("message"), saw=saw)
                evidence = (*judged.finding.evidence, seen)
                finding = msgspec.structs.replace(judged.finding, evidence=evidence)
                return msgspec.structs.replace(judged, finding=finding)
    return judged
