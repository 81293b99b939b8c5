"""What Multus, the CNI plugins, kubelet, the scheduler, runtimes and HAMi print.

Texts to situations and back: `decode` for `explain` and for evidence, the sentence builders
for what a finding says the user will see. No text ever raises, whatever it holds.
"""

from podwire.peers.event_texts.decoding import decode
from podwire.peers.event_texts.line import Decoded, Situation
from podwire.peers.event_texts.scheduling import Shortage, insufficient
from podwire.peers.event_texts.sentences import (
    missing_network_event,
    sandbox_event,
    unschedulable_event,
)

__all__ = [
    "Decoded",
    "Shortage",
    "Situation",
    "decode",
    "insufficient",
    "missing_network_event",
    "sandbox_event",
    "unschedulable_event",
]
