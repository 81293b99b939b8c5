"""A small client of the Kubernetes API: get, list, server-side apply, delete; by a kubeconfig."""

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
    "IPPool": "ippools",
    "Job": "jobs",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "Namespace": "namespaces",
    "NetworkAttachmentDefinition": "network-attachment-definitions",
    "Node": "nodes",
    "Pod": "pods",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "RuntimeClass": "runtimeclasses",
    "ServiceAccount": "serviceaccounts",
    "StatefulSet": "statefulsets",
}
_VERSIONS = {  # of kinds that are listed or deleted; the others are v1
    "Deployment": "apps/v1",
    "IPPool": "whereabouts.cni.cncf.io/v1alpha1",
}
_OF_THE_CLUSTER = {"MutatingWebhookConfiguration", "Namespace", "Node", "RuntimeClass"}
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"


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
        path = _path(_VERSIONS.get(kind, "v1"), kind, namespace=namespace)
        return self.ask("GET", f"{path}/{name}")

    def list(self, kind: str, *, namespace: str = "") -> list[Object]:
        path = _path(_VERSIONS.get(kind, "v1"), kind, namespace=namespace)
        found: list[Object] = self.ask("GET", path)["items"]
        return found

    def apply(self, wanted: Object, *, is_trial: bool = False) -> Object:
        """Make it so; a trial goes through admission and validation and is not kept."""
        meta = wanted["metadata"]
        path = _path(wanted["apiVersion"], wanted["kind"], namespace=meta.get("namespace", ""))
        query = {"fieldManager": "podwire-e2e", "force": "true"}
        if is_trial:
            query["dryRun"] = "All"
        where = f"{path}/{meta['name']}?{urllib.parse.urlencode(query)}"
        return self.ask("PATCH", where, body=wanted, form=_APPLY)

    def patch(self, wanted: Object, *, part: str = "") -> Object:
        """Merge this into the object of its name, or into a part of it such as `/status`."""
        meta = wanted["metadata"]
        path = _path(wanted["apiVersion"], wanted["kind"], namespace=meta.get("namespace", ""))
        return self.ask("PATCH", f"{path}/{meta['name']}{part}", body=wanted, form=_MERGE)

    def delete(self, kind: str, name: str = "", *, namespace: str = "") -> None:
        """Delete one object or, without a name, all of a namespace, and wait for nothing."""
        path = _path(_VERSIONS.get(kind, "v1"), kind, namespace=namespace)
        self.ask("DELETE", f"{path}/{name}".rstrip("/") + "?gracePeriodSeconds=0")

    def remove(self, wanted: Object) -> None:
        """Delete what was applied, and what it made."""
        meta = wanted["metadata"]
        path = _path(wanted["apiVersion"], wanted["kind"], namespace=meta.get("namespace", ""))
        query = "gracePeriodSeconds=0&propagationPolicy=Background"
        self.ask("DELETE", f"{path}/{meta['name']}?{query}")

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: Object | None = None,
        form: str = "",
        port: int | None = None,
    ) -> Object:
        """Send one request; with a port it goes past the API server to a kubelet's own."""
        link = http.client.HTTPSConnection(
            str(self._server.hostname), port or self._server.port, context=self._tls, timeout=30
        )
        try:
            headers = {"Content-Type": form} if form else {}
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
