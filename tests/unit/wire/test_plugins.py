"""Which device plugins are in sight, what configures them, and where they run."""

from tests.pictures import items, picture

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.wire.picture import Picture

CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: kube-system}}
data:
  config.json: |
    {{"resourceList": [{{"resourceName": "{pool}", "selectors": {{"vendors": ["15b3"]}}}}]}}
"""

DAEMON = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}, namespace: kube-system}}
spec:
  template:
    spec:
      nodeSelector: {{fabric: {fabric}}}
      containers:
      - name: kube-sriovdp
        image: images.example.com/sriov-network-device-plugin:{version}
        args: {args}
        volumeMounts:
        - {{name: config, mountPath: /etc/pcidp}}
      volumes:
      - name: config
        configMap: {{name: {config}}}
"""

NODE = """
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{fabric: {fabric}}}}}
"""


def config(name: str = "sriovdp-config", pool: str = "ib_vf") -> str:
    return CONFIG.format(name=name, pool=pool)


def daemon(
    name: str = "plugin",
    *,
    config_map: str = "sriovdp-config",
    version: str = "v3.9.0",
    args: str = "[]",
    fabric: str = "ib",
) -> str:
    return DAEMON.format(name=name, config=config_map, version=version, args=args, fabric=fabric)


def node(name: str, fabric: str = "ib") -> str:
    return NODE.format(name=name, fabric=fabric)


def names(made: Picture) -> list[str]:
    return [pool.entry.name for pool in made.pools]


def test_a_configuration_is_followed_through_the_mount() -> None:
    made = picture("---".join([config("other", "x"), config(), daemon()]))
    mounted = [p for p in made.plugins if p.workload is not None]
    assert [str(p.ref) for p in mounted] == ["ConfigMap kube-system/sriovdp-config"]


def test_the_prefix_comes_from_the_flag_else_from_the_plugin() -> None:
    assert names(picture(f"{config()}---{daemon()}")) == ["intel.com/ib_vf"]
    flagged = daemon(args="[--resource-prefix=example.com]")
    assert names(picture(f"{config()}---{flagged}")) == ["example.com/ib_vf"]


def test_a_configuration_that_nobody_mounts_belongs_to_the_only_plugin_without_one() -> None:
    made = picture("---".join([config("mine"), daemon(config_map="unseen")]))
    (plugin,) = made.plugins
    assert str(plugin.workload) == "DaemonSet kube-system/plugin"
    assert str(plugin.ref) == "ConfigMap kube-system/mine"


def test_with_two_plugins_nobody_can_tell_whose_a_configuration_is() -> None:
    manifests = [
        config("mine"),
        daemon("a", config_map="unseen-a"),
        daemon("b", config_map="unseen-b"),
    ]
    made = picture("---".join(manifests))
    loose = next(p for p in made.plugins if p.workload is None)
    assert isinstance(loose.runs_on(None, name="gpu-a"), Unknown)


def test_a_plugin_whose_configuration_is_not_in_sight_leaves_resources_open() -> None:
    made = picture("---".join([config(), daemon(), daemon("other", config_map="unseen")]))
    assert made.makes(ResourceName.parse("intel.com/ib_vf")) != Known(value=False)
    answer = made.makes(ResourceName.parse("example.com/elsewhere"))
    assert isinstance(answer, Unknown)
    assert "DaemonSet kube-system/other" in answer.reason


def test_a_configuration_for_each_node_is_not_taken_for_one_of_all() -> None:
    made = picture(daemon(args="[--config-file=/etc/pcidp/$(NODE_NAME)]"))
    (plugin,) = made.plugins
    assert isinstance(plugin.config, Unknown)
    assert "for each node" in plugin.config.reason


def test_a_plugin_runs_where_its_selector_leads() -> None:
    manifests = [config(), daemon(), node("gpu-a"), node("cpu-a", "none")]
    made = picture("---".join(manifests))
    (plugin,) = made.plugins
    answers = {n: plugin.runs_on(made.node(n), name=n) for n in ("gpu-a", "cpu-a")}
    assert {n: a.need().value for n, a in answers.items()} == {"gpu-a": True, "cpu-a": False}


def test_where_its_pods_were_listed_they_decide() -> None:
    cluster = {
        "configmaps": items(config()),
        "daemonsets": items(daemon()),
        "nodes": items(node("gpu-a") + "---" + node("gpu-b")),
        "pods": items("""
            apiVersion: v1
            kind: Pod
            metadata:
              name: plugin-x
              namespace: kube-system
              ownerReferences: [{kind: DaemonSet, name: plugin, controller: true}]
            spec:
              nodeName: gpu-a
              containers:
              - name: kube-sriovdp
                image: images.example.com/sriov-network-device-plugin:v3.9.0
            status:
              phase: Running
              containerStatuses:
              - {name: sidecar, state: {running: {startedAt: "2026-05-01T00:00:00Z"}}}
              - {name: kube-sriovdp, state: {running: {startedAt: "2026-05-04T00:00:00Z"}}}
            """),
    }
    made = picture(cluster=cluster)
    (plugin,) = made.plugins
    assert plugin.runs_on(made.node("gpu-b"), name="gpu-b").need().value is False
    assert plugin.started_at("gpu-a") == "2026-05-04T00:00:00Z"


def test_a_plugin_that_is_only_planned_is_judged_by_its_selector_though_pods_were_listed() -> None:
    cluster = {"pods": [], "nodes": items(node("gpu-a"))}
    made = picture(f"{config()}---{daemon()}", cluster=cluster)
    (plugin,) = made.plugins
    assert plugin.runs_on(made.node("gpu-a"), name="gpu-a").need().value is True


def test_a_configuration_alone_is_assumed_to_run_where_it_is_asked_about() -> None:
    (plugin,) = picture(config()).plugins
    answer = plugin.runs_on(None, name="gpu-a").need()
    assert answer.value
    assert answer.assumes == (
        (
            "a device plugin with the configuration in ConfigMap kube-system/sriovdp-config "
            "runs on gpu-a"
        ),
    )
