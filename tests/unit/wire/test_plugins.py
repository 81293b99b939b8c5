"""Which device plugins are in sight, what configures them, and where they run."""

from tests.pictures import items, picture

from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.sriovdp.records import FaultKind
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


BY_NODE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: device-plugin-config, namespace: kube-system}
data:
  gpu-a: '{"resourceList": [{"resourceName": "ib_vf", "selectors": {"vendors": ["15b3"]}}]}'
  gpu-b: '{"resourceList": []}'
"""
BY_NODE_ARGS = "[--resource-prefix=openshift.io, --config-file=/etc/pcidp/$(NODE_NAME)]"


def test_a_file_for_each_node_makes_a_plugin_for_each() -> None:
    daemons = daemon(config_map="device-plugin-config", args=BY_NODE_ARGS)
    made = picture("---".join([BY_NODE, daemons, node("gpu-a"), node("gpu-b")]))
    assert names(made) == ["openshift.io/ib_vf"]
    runs = {p.only_on: p.runs_on(made.node("gpu-a"), name="gpu-a") for p in made.plugins}
    assert {name: answer.need().value for name, answer in runs.items()} == {
        "gpu-a": True,
        "gpu-b": False,
    }


def test_the_operators_configuration_is_for_single_nodes_without_its_daemon_too() -> None:
    assert [plugin.only_on for plugin in picture(BY_NODE).plugins] == ["gpu-a", "gpu-b"]


def test_files_for_each_node_that_were_not_given_leave_it_open() -> None:
    (plugin,) = picture(daemon(args=BY_NODE_ARGS)).plugins
    assert isinstance(plugin.config, Unknown)
    assert "sriovdp-config" in plugin.config.reason


def test_a_key_that_is_not_there_ends_the_plugin_and_is_no_loose_configuration() -> None:
    made = picture("---".join([config().replace("config.json", "config.yaml"), daemon()]))
    (plugin,) = made.plugins
    text = plugin.text.need().value
    assert (text.missing, str(plugin.workload)) == ("config.json", "DaemonSet kube-system/plugin")
    assert [fault.kind for fault in plugin.config.need().value.faults] == [FaultKind.NO_FILE]
    assert plugin.config.need().value.is_fatal == Known(value=True)


def test_an_image_with_a_name_of_its_own_is_known_by_what_it_mounts() -> None:
    mine = daemon(args="[--resource-prefix=example.com]").replace(
        "sriov-network-device-plugin:v3.9.0", "mirror/sriovdp:v9"
    )
    made = picture(f"{config()}---{mine}")
    (plugin,) = made.plugins
    assert names(made) == ["example.com/ib_vf"]
    assert isinstance(plugin.version, Unknown)


def test_of_openshifts_image_the_tag_says_nothing() -> None:
    mine = daemon(version="v4.16").replace("sriov-network", "ose-sriov-network")
    (plugin,) = picture(f"{config()}---{mine}").plugins
    assert isinstance(plugin.version, Unknown)


def test_beside_plugins_that_are_all_in_sight_a_configuration_is_left_over() -> None:
    objects = {
        "configmaps": items(config("other", "old") + "---" + config()),
        "daemonsets": items(daemon()),
    }
    assert [str(p.ref.name) for p in picture(cluster=objects).plugins] == ["sriovdp-config"]


def test_where_daemons_were_not_listed_nobody_says_who_reads_it() -> None:
    made = picture("---".join([config("other", "old"), config(), daemon(version="v3.5.1")]))
    (loose,) = [p for p in made.plugins if p.workload is None]
    assert loose.is_one_of_many
    assert isinstance(loose.version, Unknown)


def test_a_text_about_resource_lists_is_no_configuration() -> None:
    prose = """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: notes, namespace: default}
        data:
          note: set "resourceList" to ...
          x.json: '{"resourceList": "docs say"}'
          y.json: '{"resourceList": ['
        """
    assert picture(prose).plugins == ()
    assert len(picture(prose.replace("notes", "sriovdp-config")).plugins) == 2


def test_without_its_flags_a_prefix_is_not_certain() -> None:
    made = picture(config())
    assert isinstance(made.makes(ResourceName.parse("example.com/ib_vf")), Unknown)
    assert made.makes(ResourceName.parse("example.com/other")).need().value is False
    assert made.makes(ResourceName.parse("intel.com/ib_vf")).need().value


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
        "--resource-prefix is intel.com",
    )


def test_a_configuration_in_another_namespace_than_the_pod_is_not_its_own() -> None:
    elsewhere = config().replace("kube-system", "default")
    made = picture(f"{elsewhere}---{daemon()}")
    run = next(p for p in made.plugins if p.workload is not None)
    assert isinstance(run.config, Unknown)
