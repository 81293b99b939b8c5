"""The answers: DevicePlugin for one resource, and Registration for a kubelet that asks."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import msgspec

from tests.e2e.device_plugin.pools import Device

pb = grpc.protos("tests/e2e/device_plugin/deviceplugin.proto")
registration = grpc.protos("tests/e2e/device_plugin/pluginregistration.proto")


class Service:
    """One resource; what it has stands in a file that may change at any time."""

    def __init__(self, resource: str, *, pools: Path, device_info: Path) -> None:
        self.resource = resource
        self._pools = pools
        self._device_info = device_info

    def handlers(self) -> tuple[grpc.GenericRpcHandler, ...]:
        plugin = {
            "GetDevicePluginOptions": _unary(self._options, pb.Empty),
            "ListAndWatch": grpc.unary_stream_rpc_method_handler(
                self._watch, pb.Empty.FromString, _written
            ),
            "Allocate": _unary(self._allocate, pb.AllocateRequest),
        }
        watcher = {
            "GetInfo": _unary(self._info, registration.InfoRequest),
            "NotifyRegistrationStatus": _unary(self._told, registration.RegistrationStatus),
        }
        return (
            grpc.method_handlers_generic_handler("v1beta1.DevicePlugin", plugin),
            grpc.method_handlers_generic_handler("pluginregistration.Registration", watcher),
        )

    def _devices(self) -> tuple[Device, ...]:
        pools = msgspec.json.decode(
            self._pools.read_bytes(), type=dict[str, tuple[Device, ...]], strict=True
        )
        return pools.get(self.resource, ())

    async def _options(self, *_: object) -> object:
        return pb.DevicePluginOptions()

    async def _watch(self, *_: object) -> AsyncIterator[object]:
        last: tuple[Device, ...] | None = None
        while True:
            if (now := self._devices()) != last:
                last = now
                yield pb.ListAndWatchResponse(devices=[_as_kubelet_reads(d) for d in now])
            await asyncio.sleep(0.2)

    async def _allocate(self, request: Any, _: object) -> object:  # noqa: ANN401 - no stubs
        key = "PCIDEVICE_" + self.resource.upper().replace(".", "_").replace("/", "_")
        answers = []
        for wanted in request.container_requests:
            for address in wanted.devices_ids:
                self._write_device_info(address)
            answers.append(pb.ContainerAllocateResponse(envs={key: ",".join(wanted.devices_ids)}))
        return pb.AllocateResponse(container_responses=answers)

    def _write_device_info(self, address: str) -> None:
        """Leave what Multus copies into network-status."""
        info = {"type": "pci", "version": "1.1.0", "pci": {"pci-address": address}}
        file = f"{self.resource.replace('/', '-')}-{address}-device.json"
        self._device_info.mkdir(parents=True, exist_ok=True)
        (self._device_info / file).write_text(json.dumps(info))

    async def _info(self, *_: object) -> object:
        return registration.PluginInfo(
            type="DevicePlugin", name=self.resource, supported_versions=["v1beta1"]
        )

    async def _told(self, status: Any, _: object) -> object:  # noqa: ANN401 - no stubs
        assert status.plugin_registered, status.error
        return registration.RegistrationStatusResponse()


def _as_kubelet_reads(device: Device) -> object:
    nodes = [] if device.numa is None else [pb.NUMANode(ID=device.numa)]
    return pb.Device(
        ID=device.id,
        health="Healthy" if device.is_healthy else "Unhealthy",
        topology=pb.TopologyInfo(nodes=nodes) if nodes else None,
    )


def _unary(answer: Any, asked: Any) -> "grpc.RpcMethodHandler[Any, Any]":  # noqa: ANN401 - no stubs
    return grpc.unary_unary_rpc_method_handler(answer, asked.FromString, _written)


def _written(message: Any) -> bytes:  # noqa: ANN401 - no stubs
    raw: bytes = message.SerializeToString()
    return raw
