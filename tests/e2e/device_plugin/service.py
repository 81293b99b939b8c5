"""The answers: DevicePlugin for one resource, and Registration for a kubelet that asks."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import grpc
import msgspec

from podwire.peers.nvidia_plugin import (
    VARIABLE,
    VOLUME_MOUNTS_FOLDER,
    Settings,
    Strategy,
    allocated,
)
from tests.e2e.device_plugin.pools import Device

pb = grpc.protos("tests/e2e/device_plugin/deviceplugin.proto")
_ANNOTATION = "cdi.k8s.io/nvidia-device-plugin"
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
        cdi = {device.id: device.cdi for device in self._devices() if device.cdi}
        strategies = {device.id: device.strategy for device in self._devices()}
        answers = []
        for wanted in request.container_requests:
            for address in wanted.devices_ids:
                self._write_device_info(address)
            if strategy := strategies.get(wanted.devices_ids[0]):
                answers.append(_as_nvidia(strategy, wanted.devices_ids))
                continue
            answers.append(
                pb.ContainerAllocateResponse(
                    envs={key: ",".join(wanted.devices_ids)},
                    cdi_devices=[pb.CDIDevice(name=cdi[i]) for i in wanted.devices_ids if i in cdi],
                )
            )
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


def _as_nvidia(strategy: str, ids: Iterable[str]) -> object:
    """Answer as podwire says that NVIDIA's plugin does; HAMi's answers alike."""
    handed = allocated(Settings(strategies=(Strategy(strategy),)), ids)
    envs = {} if handed.variable is None else {VARIABLE: handed.variable}
    return pb.ContainerAllocateResponse(
        envs=envs,
        mounts=[
            pb.Mount(container_path=f"{VOLUME_MOUNTS_FOLDER}/{name}", host_path="/dev/null")
            for name in handed.mounts
        ],
        annotations={_ANNOTATION: ",".join(handed.annotated)} if handed.annotated else {},
        cdi_devices=[pb.CDIDevice(name=name) for name in handed.named],
    )


def _as_kubelet_reads(device: Device) -> object:
    numa = (device.numa,) if isinstance(device.numa, int) else device.numa or ()
    return pb.Device(
        ID=device.id,
        health="Healthy" if device.is_healthy else "Unhealthy",
        topology=pb.TopologyInfo(nodes=[pb.NUMANode(ID=n) for n in numa]) if numa else None,
    )


def _unary(answer: Any, asked: Any) -> "grpc.RpcMethodHandler[Any, Any]":  # noqa: ANN401 - no stubs
    return grpc.unary_unary_rpc_method_handler(answer, asked.FromString, _written)


def _written(message: Any) -> bytes:  # noqa: ANN401 - no stubs
    raw: bytes = message.SerializeToString()
    return raw
