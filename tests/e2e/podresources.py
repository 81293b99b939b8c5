"""Asking kubelet's PodResources service, and writing its answer as gRPC tools do."""

from pathlib import Path
from typing import Any, TypeAlias

import grpc

pb = grpc.protos("tests/e2e/podresources.proto")
Answer: TypeAlias = dict[str, Any]


def held(socket: Path) -> Answer:
    """Ask what pods hold; ConnectionError where kubelet is away."""
    answer = _ask(socket, "List", pb.ListPodResourcesResponse)
    pods = [
        {
            "name": pod.name,
            "namespace": pod.namespace,
            "containers": [
                {"name": c.name, "devices": [_written(d) for d in c.devices]}
                for c in pod.containers
            ],
        }
        for pod in answer.pod_resources
    ]
    return {"pod_resources": pods}


def allocatable(socket: Path) -> Answer:
    """Ask what there is; kubelet lists healthy devices only."""
    answer = _ask(socket, "GetAllocatableResources", pb.AllocatableResourcesResponse)
    return {"devices": [_written(device) for device in answer.devices]}


def _written(device: Any) -> Answer:  # noqa: ANN401 - no stubs
    nodes = [{"ID": node.ID} for node in device.topology.nodes]
    return {
        "resource_name": device.resource_name,
        "device_ids": list(device.device_ids),
        **({"topology": {"nodes": nodes}} if nodes else {}),
    }


def _ask(socket: Path, question: str, kind: Any) -> Any:  # noqa: ANN401 - no stubs
    authority = (("grpc.default_authority", "localhost"),)
    with grpc.insecure_channel(f"unix://{socket}", options=authority) as channel:
        call = channel.unary_unary(
            f"/v1.PodResourcesLister/{question}",
            request_serializer=pb.Empty.SerializeToString,
            response_deserializer=kind.FromString,
        )
        try:
            return call(pb.Empty(), timeout=10)
        except grpc.RpcError as error:
            raise ConnectionError(str(error)) from error
