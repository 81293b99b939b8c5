"""What is known of one container: RDMA devices, locked memory, outputs of commands."""

from collections.abc import Mapping

import pytest
from tests.pictures import picture
from tests.wire_manifests import IB, SYSFS, nad, pod, pool

from podwire.model.evidence import Known, Unknown
from podwire.wire.containers import host_mounts, locked_memory, pod_outputs, rdma
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

ADDS = {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
LIMITS = "Max locked memory         {}              {}              bytes\n"


def made(manifest: str = "", *, files: Mapping[str, str] | None = None, pools: str = "") -> Picture:
    text = manifest or pod(networks="ib-net", limits={str(IB): 1}, node="gpu-a")
    return picture(nad() + (pools or pool(isRdma=True)) + text, files=files)


def printed(**outputs: str) -> Picture:
    """The first container's pod, with outputs by file name."""
    names = {
        "limits": "proc-1-limits.txt",
        "status": "proc-1-status.txt",
        "dev": "dev-infiniband.txt",
    }
    return made(files={f"pods/train.w/{names[k]}": text for k, text in outputs.items()})


def first(cluster: Picture) -> PodContainer:
    return cluster.containers[0]


class TestOutputs:
    def test_the_limit_is_read_in_bytes_or_as_none(self) -> None:
        small = printed(limits=LIMITS.format(65536, 65536))
        limit = pod_outputs.locked_memory(small.pods[0], small).need().value
        assert (limit.is_small, str(limit)) == (True, "64 KiB")
        free = printed(limits=LIMITS.format("unlimited", "unlimited"))
        limit = pod_outputs.locked_memory(free.pods[0], free).need().value
        assert (limit.is_small, str(limit)) == (False, "unlimited")

    @pytest.mark.parametrize("word", ["", "-1", "64K", "\u00b2", "0x10", "9" * 5000])
    def test_a_limit_that_is_no_number_is_not_known(self, word: str) -> None:
        cluster = printed(limits=LIMITS.format(word, word))
        answer = pod_outputs.locked_memory(cluster.pods[0], cluster)
        assert isinstance(answer, Unknown)
        assert "has no line Max locked memory" in answer.reason

    @pytest.mark.parametrize(
        ("bits", "can"), [("0000000000004000", True), ("00000000a80425fb", False)]
    )
    def test_a_capability_in_force_is_one_bit(self, bits: str, can: bool) -> None:  # noqa: FBT001 - a parameter
        cluster = printed(status=f"CapEff:\t{bits}\n")
        assert pod_outputs.can_lock(first(cluster), cluster).need().value is can

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("uverbs0\nrdma_cm\n", ("uverbs0", "rdma_cm")),
            ("ls: /dev/infiniband: No such file or directory", ()),
        ],
    )
    def test_devices_are_what_ls_lists(self, text: str, names: tuple[str, ...]) -> None:
        cluster = printed(dev=text)
        assert pod_outputs.rdma_devices(first(cluster), cluster).need().value == names

    def test_an_error_of_ls_lists_nothing(self) -> None:
        cluster = printed(dev="ls: cannot open directory '/dev/infiniband'")
        assert isinstance(pod_outputs.rdma_devices(first(cluster), cluster), Unknown)

    def test_nobody_knows_which_of_two_containers_was_looked_at(self) -> None:
        spec = {"containers": [{"name": "a"}, {"name": "b"}]}
        two = pod(networks="ib-net", spec=spec, node="gpu-a")
        cluster = made(two, files={"pods/train.w/dev-infiniband.txt": "uverbs0"})
        assert isinstance(pod_outputs.rdma_devices(first(cluster), cluster), Unknown)

    def test_what_was_not_collected_is_not_known(self) -> None:
        cluster = made()
        gap = pod_outputs.locked_memory(cluster.pods[0], cluster)
        assert isinstance(gap, Unknown)
        assert "kubectl exec -n train w -- cat /proc/1/limits" in gap.give


class TestLockedMemory:
    def container(self, **container: object) -> tuple[PodContainer, Picture]:
        cluster = made(pod(networks="ib-net", limits={str(IB): 1}, container=container))
        return first(cluster), cluster

    def test_the_capability_is_given_by_name_or_by_privilege(self) -> None:
        assert locked_memory.is_given_lock(*self.container(**ADDS)) == Known(value=True)
        privileged = {"securityContext": {"privileged": True}}
        assert locked_memory.is_given_lock(*self.container(**privileged)) == Known(value=True)
        assert locked_memory.is_given_lock(*self.container()) == Known(value=False)

    def test_a_user_other_than_root_has_no_capability_in_force(self) -> None:
        user = locked_memory.user_of(self.container(securityContext={"runAsUser": 1000})[0])
        assert user is not None
        assert user.value == "user 1000"
        assert locked_memory.user_of(self.container(securityContext={"runAsUser": 0})[0]) is None

    def test_the_unit_of_the_runtime_lifts_the_limit(self) -> None:
        unit = {"nodes/gpu-a/etc/systemd/system/containerd.service": "LimitMEMLOCK=infinity\n"}
        lifted = made(files={**unit, "nodes/gpu-a/sysfs.txt": SYSFS})
        assert locked_memory.is_seen_to_lock(first(lifted), lifted)
        cluster = made()
        assert not locked_memory.is_seen_to_lock(first(cluster), cluster)

    def test_only_a_pod_that_was_not_made_may_still_be_completed(self) -> None:
        planned, cluster = self.container()
        assert locked_memory.completed_later(planned, cluster) == (
            "no webhook completes the pod (the webhooks were not listed)",
        )
        running = made()
        assert locked_memory.completed_later(first(running), running) == ()


class TestRdma:
    def test_a_request_passes_rdma_devices_where_its_pool_says_so(self) -> None:
        cluster = made()
        (request,) = rdma.rdma_requests(first(cluster), cluster).need().value
        assert request.resource == IB
        plain = made(pools=pool())
        assert rdma.rdma_requests(first(plain), plain).need().value == ()

    def test_without_the_pool_in_sight_the_network_tells(self) -> None:
        cluster = made(pools=nad("other", "example.com/other"))
        answer = rdma.rdma_requests(first(cluster), cluster).need()
        assert [r.resource for r in answer.value] == [IB]
        assert answer.assumes == (f"the pool of {IB} passes RDMA devices (isRdma)",)

    def test_a_pool_of_infiniband_functions_without_devices_is_bare(self) -> None:
        cluster = made(pools=pool(vendors=["15b3"]))
        (bare,) = rdma.infiniband_without_rdma(cluster.pools[0], cluster).need().value
        assert bare.shows.value == "ib-sriov"
        assert [c.full_name for c in rdma.users_of(cluster.pools[0], cluster)] == [
            "container t of train/w"
        ]
        good = made()
        assert rdma.infiniband_without_rdma(good.pools[0], good).need().value == ()

    def test_an_ethernet_pool_is_not_bare(self) -> None:
        cluster = made(pools=pool(linkTypes=["ether"]))
        assert rdma.infiniband_without_rdma(cluster.pools[0], cluster).need().value == ()


class TestHostMounts:
    def mounting(self, path: str, **container: object) -> Picture:
        return made(
            pod(
                container={"volumeMounts": [{"name": "v", "mountPath": "/x"}], **container},
                spec={"volumes": [{"name": "v", "hostPath": {"path": path}}]},
            )
        )

    @pytest.mark.parametrize(
        "path", ["/dev/infiniband", "/dev//infiniband/", "/dev/infiniband/uverbs0"]
    )
    def test_a_mount_of_rdma_devices_is_found_whatever_else_the_pod_is(self, path: str) -> None:
        (mount,) = host_mounts.host_mounts(self.mounting(path))
        assert mount.container.full_name == "container t of train/w"

    @pytest.mark.parametrize("path", ["/dev", "/dev/infiniband-other", "/var/lib"])
    def test_other_mounts_are_left_alone(self, path: str) -> None:
        assert list(host_mounts.host_mounts(self.mounting(path))) == []

    def test_all_of_dev_counts_where_the_container_means_rdma(self) -> None:
        assert [m.path for m in host_mounts.host_mounts(self.mounting("/dev", **ADDS))] == ["/dev"]
