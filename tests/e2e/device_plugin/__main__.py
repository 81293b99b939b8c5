"""Serve every pool of a file: python -m tests.e2e.device_plugin POOLS.json NODE [--watched]."""

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

import grpc

from tests.e2e.device_plugin.service import Service, pb


async def serve(resources: list[str], *, pools: Path, node: Path, is_watched: bool) -> None:
    """Serve until standard input ends, with whoever started this."""
    kubelet = node / "var/device-plugins/kubelet.sock"
    folder = node / "var/plugins_registry" if is_watched else kubelet.parent
    servers = []
    for resource in resources:
        # kubelet 1.37 wants a name of its own for each life of a plugin, served before Register.
        socket = folder / f"{resource.replace('/', '-')}-{os.getpid()}.sock"
        server = grpc.aio.server()
        info = node / "run/k8s.cni.cncf.io/devinfo/dp"
        service = Service(resource, pools=pools, device_info=info)
        server.add_generic_rpc_handlers(service.handlers())
        server.add_insecure_port(f"unix://{socket}")
        await server.start()
        servers.append(server)
        if not is_watched:
            await _register(resource, kubelet=kubelet, socket=socket)
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


async def _register(resource: str, *, kubelet: Path, socket: Path) -> None:
    request = pb.RegisterRequest(
        version="v1beta1",
        endpoint=socket.name,
        resource_name=resource,
        options=pb.DevicePluginOptions(),
    )
    authority = (("grpc.default_authority", "localhost"),)
    async with grpc.aio.insecure_channel(f"unix://{kubelet}", options=authority) as channel:
        register = channel.unary_unary(
            "/v1beta1.Registration/Register",
            request_serializer=pb.RegisterRequest.SerializeToString,
            response_deserializer=pb.Empty.FromString,
        )
        await register(request, timeout=10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pools", type=Path)
    parser.add_argument("node", type=Path)
    parser.add_argument("--watched", action="store_true", help="let kubelet find the socket")
    given = parser.parse_args()
    offered = list(json.loads(given.pools.read_text()))
    asyncio.run(serve(offered, pools=given.pools, node=given.node, is_watched=given.watched))
