"""Reports made by hand: what the forms are tried with, whatever the rules say."""

from collections.abc import Mapping

from tests.unit.present import sample_rule

from podwire.engine.report import Judged, Report, Silenced, Undecided
from podwire.facts.inventory import LookedAt
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Patch, Rule, Severity
from podwire.model.evidence import Document, Origin, Path, Place
from podwire.model.names import Ref

RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"

NAD_TEXT = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata:
  name: ib-net
  namespace: train
  annotations:
    k8s.v1.cni.cncf.io/resourceName: example.com/sriov_ib
spec:
  config: '{"type": "ib-sriov"}'
"""

NAD_FILE = Document(name="manifests/nad.yaml")
PODS = Document(name="cluster/pods.json", origin=Origin.CLUSTER)
SYSFS = Document(name="nodes/gpu-a/sysfs.txt", origin=Origin.NODE, owner="gpu-a")

NAD = Ref(kind="NetworkAttachmentDefinition", name="ib-net", namespace="train")


class Texts:
    """Sources by name of the file; how often each was asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.asked: list[str] = []

    def text(self, document: Document) -> str | None:
        self.asked.append(document.name)
        return self.texts.get(document.name)


SOURCES = Texts({NAD_FILE.name: NAD_TEXT})


def rule(number: int, slug: str, joint: Joint) -> Rule:
    return Rule(
        id=f"PW{number}",
        slug=slug,
        title="Network asks for a resource that nothing advertises",
        since="0.1",
        joint=joint,
        refs=("multus-cni v4.3.0 pkg/k8sclient/k8sclient.go getKubernetesDelegate",),
        over=lambda _: (),
        check=sample_rule.check,
    )


NAME = rule(103, "nad-resource-unadvertised", Joint.NAME)
RDMA = rule(201, "pool-without-rdma", Joint.RDMA)
POOL = rule(701, "pool-empty", Joint.POOL)
RULES = (POOL, NAME, RDMA)


def pod(number: int) -> Ref:
    return Ref(kind="Pod", name=f"worker-{number}", namespace="train")


def nad_place(*path: str, inner: Path | None = None) -> Place:
    return Place(document=NAD_FILE, object=str(NAD), path=path, inner=inner)


def pod_place(number: int, *path: str | int) -> Place:
    return Place(document=PODS, object=str(pod(number)), base=("items", number), path=path)


UNADVERTISED = Judged(
    rule=NAME,
    finding=Finding(
        severity=Severity.ERROR,
        message="train/ib-net wants example.com/sriov_ib, which no pool advertises",
        evidence=(
            Evidence(
                at=nad_place("metadata", "annotations", RESOURCE_NAME),
                saw="example.com/sriov_ib",
            ),
            Evidence(
                at=pod_place(0, "spec", "containers", 0, "resources", "limits"),
                saw="example.com/ib_vf: 2",
            ),
            Evidence(
                at=Place(document=SYSFS, path=("sys/bus/pci/devices/0000:18:00.2/driver",)),
                saw="vfio-pci",
            ),
        ),
        sees='the pods stay in ContainerCreating: FailedCreatePodSandBox, ending "deviceID is '
        'required"',
        cause=Cause(text="a pool that was renamed on 2026-11-02", proven=False),
        fix=(
            Fix(
                text="set the annotation to example.com/ib_vf, then delete the pods that hang",
                breaks="pods that request example.com/sriov_ib from another cluster's copy of "
                "this file",
                patch=Patch(
                    of=NAD,
                    operations=(
                        {
                            "op": "replace",
                            "path": "/metadata/annotations/k8s.v1.cni.cncf.io~1resourceName",
                            "value": "example.com/ib_vf",
                        },
                    ),
                ),
            ),
            Fix(text="add a pool of that name to ConfigMap kube-system/sriovdp"),
        ),
        assumes=("no device plugin makes more resources than the pools given",),
    ),
    subject=NAD,
    subjects=(NAD, *(pod(number) for number in range(320))),
    explains=(pod(0), pod(1)),
)

WITHOUT_RDMA = Judged(
    rule=RDMA,
    finding=Finding(
        severity=Severity.WARNING,
        message="pool example.com/ib_vf passes no RDMA devices: isRdma is not set",
        evidence=(),
        sees="ibv_devinfo in the container finds no device",
        cause=Cause(text="isRdma was left out", proven=True),
    ),
    subject=pod(0),
    subjects=(pod(0),),
)

REPORT = Report(
    findings=(UNADVERTISED, WITHOUT_RDMA),
    undecided=(
        Undecided(
            rule=POOL,
            reason="PCI functions of node gpu-a were not read",
            give="podwire collect, or nodes/gpu-a/sysfs.txt",
            count=2,
            samples=(pod(0), pod(1)),
        ),
        Undecided(
            rule=POOL,
            reason="the version of multus is not in sight",
            give="--assume multus=VERSION",
            count=7,
            samples=(pod(0), pod(1), pod(2)),
        ),
        Undecided(rule=RDMA, reason="when the device plugin started", give="", count=1, samples=()),
    ),
    silenced=(
        Silenced(judged=WITHOUT_RDMA, reason="TCP only", by="annotation on Pod train/worker-0"),
    ),
    unread=(Document(name="README.md"), Document(name="notes.txt")),
    looked_at=LookedAt(
        documents=5,
        objects=12,
        nodes=1,
        oldest="2026-11-24T10:00:00Z",
        newest="2026-11-26T10:00:00Z",
    ),
)
