"""One PF's way from what is there to what is wanted, in the order that needs no second bind.

The order and its reasons are in docs/design/0005. Facts about the kernel: `sriov_numvfs`
answers EBUSY to n -> m and ERANGE above `sriov_totalvfs` (drivers/pci/iov.c); a VF without
`driver_override` cannot be bound while `sriov_drivers_autoprobe` is 0 (drivers/pci/pci-driver.c
pci_device_can_probe); mlx5 reads a VF's GUIDs when it probes it.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.machine import Pf, Vf, Way
from podwire.plan.step import DRIVERS_PROBE, Action, PfPlan, Step, VfLink
from podwire.plan.vf_state import (
    differs,
    is_policy_wrong,
    link_words,
    old_words,
    policy_of,
    policy_reason,
    shown_guids,
    unread_words,
)

_CREATE_S = 300.0  # 127 VFs, each a second or two in the firmware
_BIND_S = 120.0  # mlx5 waits 60 s for firmware that does not answer (FW_PRE_INIT_TIMEOUT)
_SETTLE_S = 120.0


class PfWish(msgspec.Struct, frozen=True):
    """What one PF shall have; `guids` is empty where its VFs have none.

    `takes_held`: also a VF in another namespace is bound anew for its GUID.
    """

    count: int
    guids: Sequence[Guid] = ()
    policy: str | None = None
    mtu: int | None = None
    takes_held: bool = False


def plan_pf(pf: Pf, wish: PfWish, *, before: str | None) -> PfPlan:
    """Plan one PF; `before` is what autoprobe was before podwire ever touched it."""
    maker = _Maker(pf, wish, before=before)
    steps = tuple(maker.steps())
    return PfPlan(
        pf=pf.address,
        name=pf.name,
        autoprobe=before,
        autoprobe_now=pf.autoprobe,
        count=pf.count,
        steps=steps,
        notes=tuple(maker.notes),
        disturbs=tuple(maker.disturbed),
    )


class _Maker:
    """Walks through the order, and keeps what autoprobe is on the way."""

    def __init__(self, pf: Pf, wish: PfWish, *, before: str | None) -> None:
        self._pf = pf
        self._wish = wish
        self._before = before
        self._now = pf.autoprobe
        self._is_new = pf.count != wish.count
        self._binds_itself = self._is_new and pf.autoprobe is None
        self._vfs: Mapping[int, Vf] = {} if self._is_new else {vf.index: vf for vf in pf.vfs}
        self.notes: list[str] = []
        self.disturbed: list[PciAddress] = []
        self._kept = frozenset(self._held_with_another_guid())

    def steps(self) -> Iterator[Step]:
        """Give the steps in order."""
        wanted = range(self._wish.count)
        if self._is_new:
            yield from self._counts(self._pf.count, self._wish.count)
        self._note_unread()
        rebound = [n for n in wanted if self._is_rebound(n)]
        fresh = [n for n in wanted if self._is_fresh(n)]
        for n in wanted:
            if n not in rebound:
                yield from self._links(n)
        yield from self._bound(fresh, rebound)
        for n in wanted:
            yield from self._mtu(n)
        if self._before is not None:
            yield from self._autoprobe(self._before, "as it was before")

    def _bound(self, fresh: Sequence[int], rebound: Sequence[int]) -> Iterator[Step]:
        if fresh or rebound:
            yield from self._autoprobe("1", "an unbound VF answers ENODEV while it is 0")
        for n in fresh:
            yield self._bind(n, reason="it has no driver")
        for n in rebound:
            yield from self._links(n)
            yield from self._rebind(n)
        if fresh or rebound or (self._binds_itself and self._wish.count):
            yield self._settle()

    def _counts(self, have: int, want: int) -> Iterator[Step]:
        if want:
            reason = "no VF is probed before it is set up"
            yield from self._autoprobe("0", reason)
        if have:
            self.disturbed += [vf.address for vf in self._pf.vfs]
            reason = f"{have} VFs are there, {want} are wanted"
            reason += "; the kernel takes a new count only from 0" if want else ""
            yield self._count(0, was=have, reason=reason)
        if want:
            yield self._count(want, was=0, reason=f"{want} VFs are wanted")

    def _count(self, value: int, *, was: int, reason: str) -> Step:
        return Step(
            action=Action.WRITE,
            pf=self._pf.address,
            target=f"{self._pf.folder}/sriov_numvfs",
            value=str(value),
            was=str(was),
            undo=str(was),
            reason=reason,
            limit_s=_CREATE_S,
        )

    def _autoprobe(self, value: str, reason: str) -> Iterator[Step]:
        if self._now is None or self._now == value:
            return
        yield Step(
            action=Action.WRITE,
            pf=self._pf.address,
            target=f"{self._pf.folder}/sriov_drivers_autoprobe",
            value=value,
            was=self._now,
            undo=self._before,
            reason=reason,
        )
        self._now = value

    def _links(self, n: int) -> Iterator[Step]:
        """Set GUID and policy as far as they differ; a VF that nobody could read gets both."""
        if not self._pf.is_infiniband:
            return
        vf, guid = self._vfs.get(n), self._guid(n)
        policy = self._wish.policy or "follow"
        if vf is not None and vf.driver is not None:
            guid = guid if differs(vf, guid) else None
            policy_wanted = policy if is_policy_wrong(vf, self._wish.policy) else None
        else:
            policy_wanted = policy
        if guid is None and policy_wanted is None:
            return
        link = VfLink(vf=n, guid=guid, policy=policy_wanted)
        is_read = vf is None or vf.driver is None or guid is not None or policy_of(vf) is not None
        reason = self._link_reason(vf, link)
        if self._pf.way is Way.OFED:
            yield from self._files(link, reason=reason)
            return
        yield Step(
            action=Action.LINK,
            pf=self._pf.address,
            vf=n,
            target=self._pf.netdev or "",
            value=link_words(link),
            was=old_words(vf, link),
            reason=reason,
            link=link,
            is_blind=not is_read,
        )

    def _files(self, link: VfLink, *, reason: str) -> Iterator[Step]:
        """MLNX_OFED and DOCA-OFED: one file for each value."""
        values = {"node": link.guid.octets, "port": link.guid.octets} if link.guid else {}
        if link.policy:
            values["policy"] = link.policy.title()  # Follow, Up, Down
        for name, value in values.items():
            yield Step(
                action=Action.WRITE,
                pf=self._pf.address,
                vf=link.vf,
                target=f"{self._pf.folder}/sriov/{link.vf}/{name}",
                value=value,
                reason=reason,
            )

    def _link_reason(self, vf: Vf | None, link: VfLink) -> str:
        if vf is None or vf.driver is None:
            return "a new VF has GUID zero and its port stays down"
        words = []
        if link.guid is not None:
            words.append(f"its GUID is {shown_guids(vf)}")
        if link.policy is not None:
            words.append(policy_reason(vf))
        return "; ".join(words)

    def _guid(self, n: int) -> Guid | None:
        """Give the GUID that a VF shall have; None: it keeps what it has."""
        if n >= len(self._wish.guids) or n in self._kept:
            return None
        return self._wish.guids[n]

    def _held_with_another_guid(self) -> Iterator[int]:
        """Find VFs in pods whose GUID is the pod's: ib-sriov gives it, and takes it back."""
        if self._wish.takes_held:
            return
        for n, vf in self._vfs.items():
            wanted = self._wish.guids[n] if n < len(self._wish.guids) else None
            if vf.is_elsewhere and differs(vf, wanted):
                yield n
                self.notes.append(
                    f"VF {n} ({vf.address}) is in another network namespace with GUID "
                    f"{shown_guids(vf)}: left alone until it is back"
                )

    def _is_fresh(self, n: int) -> bool:
        """It has no driver and nobody binds it by himself."""
        vf = self._vfs.get(n)
        return not self._binds_itself and (vf is None or vf.driver is None)

    def _is_rebound(self, n: int) -> bool:
        if not self._pf.is_infiniband:
            return False
        vf = self._vfs.get(n)
        is_wrong = vf is not None and vf.driver is not None and differs(vf, self._guid(n))
        return self._binds_itself or is_wrong

    def _rebind(self, n: int) -> Iterator[Step]:
        vf = self._vfs.get(n)
        if vf is not None:
            self.disturbed.append(vf.address)
        where = f"{self._pf.folder}/virtfn{n}"
        yield Step(
            action=Action.UNBIND,
            pf=self._pf.address,
            vf=n,
            target=f"{where}/driver/unbind",
            value=str(vf.address) if vf else f"address of VF {n}",
            reason="the driver reads GUIDs when it probes a VF",
            undo="bind",
            limit_s=_BIND_S,
        )
        yield self._bind(n, reason="it was unbound for its GUID")

    def _bind(self, n: int, *, reason: str) -> Step:
        vf = self._vfs.get(n)
        return Step(
            action=Action.BIND,
            pf=self._pf.address,
            vf=n,
            target=DRIVERS_PROBE,
            value=str(vf.address) if vf else f"address of VF {n}",
            reason=reason,
            limit_s=_BIND_S,
        )

    def _settle(self) -> Step:
        kinds = ["net"] if self._pf.netdev is not None else []  # VFs get what their PF has
        kinds += ["infiniband"] if self._pf.rdma is not None and self._pf.is_infiniband else []
        return Step(
            action=Action.SETTLE,
            pf=self._pf.address,
            target=self._pf.folder,
            value=" ".join(kinds),
            reason="udev names devices asynchronously",
            limit_s=_SETTLE_S,
        )

    def _mtu(self, n: int) -> Iterator[Step]:
        vf = self._vfs.get(n)
        if self._wish.mtu is None or self._pf.netdev is None:
            return
        is_kept = vf is not None and (vf.mtu == self._wish.mtu or vf.is_elsewhere)
        is_other = vf is not None and vf.driver not in {None, self._pf.driver} and vf.mtu is None
        if is_kept or is_other:
            return
        was = None if vf is None or vf.mtu is None else str(vf.mtu)
        yield Step(
            action=Action.WRITE,
            pf=self._pf.address,
            vf=n,
            target=f"{self._pf.folder}/virtfn{n}/net/*/mtu",
            value=str(self._wish.mtu),
            was=was,
            undo=was,
            reason=f"MTU {self._wish.mtu} is wanted",
        )

    def _note_unread(self) -> None:
        """Say whose policy could not be read where nothing speaks against it."""
        if not self._pf.is_infiniband or self._wish.policy is None:
            return
        bound = (vf for vf in self._vfs.values() if vf.driver is not None)
        unread = [vf for vf in bound if policy_of(vf) is None and not vf.is_down]
        if unread:
            self.notes.append(unread_words(unread))
