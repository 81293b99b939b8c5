"""Faults that people meet and no file shows: named, so that silence is no pass."""

from collections.abc import Iterator

# What the fault is, and why files do not tell.
_GPUS = (
    (
        "a container without a request fails over NVIDIA_VISIBLE_DEVICES of its image",
        "it hangs on the Env of images and on the toolkit's version; where both are known, PW601",
    ),
    (
        "HAMi's choice of a GPU and kubelet's differ",
        "HAMi hands over what its annotation says, whatever kubelet's list of IDs has",
    ),
    (
        "the API server cannot reach HAMi's webhook",
        "only what follows is seen: a pod that was left to the default scheduler (PW605)",
    ),
    (
        "HAMi's plugin is on no node, for none has its label (gpu=on)",
        "a cluster without such nodes just now looks the same; its DaemonSet has DESIRED 0",
    ),
    (
        "device files or driver libraries that a CDI spec names do not exist",
        "a spec is read, not tried; nvidia-ctk cdi generate on the node writes it anew",
    ),
    (
        "NVIDIA's NRI plugin reads annotations of pods",
        "whether containerd loads it stands in no file that podwire reads",
    ),
    (
        "a GPU is ill (an Xid) and its plugin says Unhealthy for ever",
        "the plugin keeps that in memory: its log and the driver's have it",
    ),
    (
        "a Secret sets NVIDIA_VISIBLE_DEVICES",
        "contents of Secrets are not read; where one is among envFrom that is assumed not to be",
    ),
    (
        "time slicing lets one pod take another's memory",
        "replicas share a GPU by design; nothing limits them",
    ),
)


def unjudged_lines() -> Iterator[str]:
    """Write the section for the index of rules."""
    yield from ("## Not judged from files", "")
    for what, why in _GPUS:
        yield f"- {what[0].upper()}{what[1:]}: {why}."
    yield ""
