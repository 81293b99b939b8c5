"""The SR-IOV network device plugin: how its configuration file becomes pools of functions.

`config` reads the file as the plugin does, `selectors` asks one function, `fill` shares the
functions of a node out among the pools. Pools of type netDevice are modelled; of the other
types only the configuration is read.

Sources are files of k8snetworkplumbingwg/sriov-network-device-plugin, read at commit 1daca46
(utils.go, gen_net.go), 9b10368 (deviceSelectors.go), 03cbc91 (rdma.go) and c29e684
(pKeySelector.go, GetPKey), where no other is named. The tables of versions end with v3.11.0.
"""
