"""A small client of the Kubernetes API: server-side apply, get and list with a kubeconfig."""

import http.client
import json
import ssl
import urllib.parse
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Object: TypeAlias = dict[str, Any]

_PLURALS = {  # of API groups that every cluster of these tests serves
    "ConfigMap": "configmaps",
    "CronJob": "cronjobs",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "Event": "events",
    "Namespace": "namespaces",
    "NetworkAttachmentDefinition": "network-attachment-definitions",
    "Node": "nodes",
    "Pod": "pods",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "ServiceAccount": "serviceaccounts",
    "StatefulSet": "statefulsets",
}
_OF_THE_CLUSTER = {"Namespace", "Node"}


class RefusedError(Exception):
    """What the API server says instead of doing it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Api:
    """One administrator's view of one API server."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self._server = urllib.parse.urlsplit(cluster["server"])
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._tls.load_cert_chain(user["client-certificate"], user["client-key"])

    def get(self, kind: str, name: str, *, namespace: str = "") -> Object:
        path = _path("v1", kind, namespace=namespace)
        return self._ask("GET", f"{path}/{name}")

    def list(self, kind: str, *, namespace: str = "") -> list[Object]:
        found: list[Object] = self._ask("GET", _path("v1", kind, namespace=namespace))["items"]
        return found

    def apply(self, wanted: Object, *, is_trial: bool = False) -> Object:
        """Make it so; a trial goes through admission and validation and is not kept."""
        meta = wanted["metadata"]
        path = _path(wanted["apiVersion"], wanted["kind"], namespace=meta.get("namespace", ""))
        query = {"fieldManager": "podwire-e2e", "force": "true"}
        if is_trial:
            query["dryRun"] = "All"
        where = f"{path}/{meta['name']}?{urllib.parse.urlencode(query)}"
        return self._ask("PATCH", where, body=wanted)

    def _ask(self, method: str, path: str, *, body: Object | None = None) -> Object:
        link = http.client.HTTPSConnection(self._server.netloc, context=self._tls, timeout=30)
        try:
            headers = {"Content-Type": "application/apply-patch+yaml"}
            link.request(method, path, body=json.dumps(body) if body else None, headers=headers)
            answer = link.getresponse()
            said: Object = json.loads(answer.read())
        finally:
            link.close()
        if answer.status >= 400:
            raise RefusedError(answer.status, said.get("message", str(said)))
        return said


def is_served(kind: str) -> bool:
    """Say whether this client, and the cluster, knows the kind."""
    return kind in _PLURALS


def is_namespaced(kind: str) -> bool:
    return kind not in _OF_THE_CLUSTER


def _path(version: str, kind: str, *, namespace: str) -> str:
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    within = f"/namespaces/{namespace}" if namespace and is_namespaced(kind) else ""
    return f"{root}{within}/{_PLURALS[kind]}"
