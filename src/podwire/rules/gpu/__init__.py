"""Who serves GPUs, what a plugin sees, and what a container's runtime makes of it."""

from podwire.findings.model import Rule
from podwire.rules.gpu import (
    allow_list_without_effect,
    gpu_by_index,
    gpu_plugin_blind,
    gpu_plugin_kept_away,
    gpu_variable_misread,
    gpu_variable_refused,
    gpu_variable_unread,
    hidden_gpu_by_variable,
    plugin_without_kubelet_folder,
    reserved_gpu_by_annotation,
    reserved_gpu_by_mount,
    reserved_gpu_by_privilege,
    reserved_gpu_by_variable,
    reserved_gpu_offered,
    runtime_class_missing,
    runtime_handler_missing,
    sharing_devices_ignored,
    two_plugins_one_resource,
)

RULES: tuple[Rule, ...] = (
    sharing_devices_ignored.RULE,
    gpu_by_index.RULE,
    plugin_without_kubelet_folder.RULE,
    gpu_plugin_kept_away.RULE,
    two_plugins_one_resource.RULE,
    gpu_plugin_blind.RULE,
    gpu_variable_refused.RULE,
    allow_list_without_effect.RULE,
    gpu_variable_unread.RULE,
    runtime_class_missing.RULE,
    runtime_handler_missing.RULE,
    reserved_gpu_by_variable.RULE,
    reserved_gpu_by_mount.RULE,
    reserved_gpu_by_annotation.RULE,
    reserved_gpu_by_privilege.RULE,
    reserved_gpu_offered.RULE,
    hidden_gpu_by_variable.RULE,
    gpu_variable_misread.RULE,
)
