"""What the cases are made of: usual values, and odd ones."""

FOLDERS = ("etc/cdi", "etc/cdi", "var/run/cdi", "var/run/cdi", "var/run/cdi", "opt/cdi")
DIRS: tuple[list[str], ...] = (
    ["/etc/cdi", "/var/run/cdi"],
    ["/etc/cdi", "/var/run/cdi"],
    ["/etc/cdi", "/var/run/cdi"],
    ["/var/run/cdi", "/etc/cdi"],
    ["/var/run/cdi"],
    ["/etc/cdi/", "/var//run/cdi/../cdi", "/opt/cdi"],
    ["/etc/cdi", "/etc/cdi"],
    ["/gone", "/etc/cdi"],
)
FILES = ("nvidia.yaml", "a.json", "b.yaml", "k8s.json", ".hidden.yaml")
ODD_FILES = ("c.yml", "d.txt", "sub/e.yaml", "F.YAML", "g.yaml.bak", "noext", ".yaml")
KINDS = ("nvidia.com/gpu", "nvidia.com/gpu", "nvidia.com/gpu", "management.nvidia.com/gpu")
ODD_KINDS = (
    "nvidia.com", "nvidia.com/", "/gpu", "", "1vendor/gpu", "v_x/c-1", "nvidia.com/gpu.mig",
    "nvidia.com/gpu/x", "nvidia.com/gp\u00fc", "nv\u00fcdia/gpu", "v/g", "vendor-/gpu", "ve/c.",
    "NVIDIA.com/GPU", "vendor/1gpu", "vendor!/gpu", "\u00fc/gpu", "ab/\u00fc",
)  # fmt: skip
VERSIONS = ("0.3.0", "0.5.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0")
ODD_VERSIONS = (
    "v0.6.0",
    "",
    "0.5",
    "2.0.0",
    "vv0.5.0",
    "0.1.0",
    "0.2.0",
    "0.4.0",
    "0.5.0 ",
    "1.2.0",
)
DEVICES = ("0", "1", "all", "GPU-3fa90004-0c2e-4d71-8b1a-6e5d4c3b0004", "0:1", "0000:18:00.2")
ODD_DEVICES = (
    "",
    "-x",
    "x-",
    "a b",
    "a=b",
    "a/b",
    "\u00e9",
    "a\u00e9",
    "\u00e9a",
    "a\u00e9b",
    "_",
    "a\n",
    "a\tb",
    "x_",
)
NAMES = (
    "0", "GPU-3fa90004-0c2e-4d71-8b1a-6e5d4c3b0004", "nvidia.com/gpu", "nvidia.com/gpu=", "=x",
    "/dev/nvidia0", "", "nvidia.com=0", "a/b=c=d", "nvidia.com/gpu=0 ", " nvidia.com/gpu=0",
    "v/g=0", "ve/gp=0", "ve/gp=\u00e9", "ve/gp=a\u202eb", "1e/gp=a", "ve/g!p=a", 've/gp=a"b',
    "ve/\u00fc\u00fc=0", "ve/g\U0001f600p=0", "ve/gp=\x07b\x7fc",
)  # fmt: skip
ENV = ("A=1", "NVIDIA_VISIBLE_DEVICES=void", "B=", "A=2")
ODD_ENV = ("A", "=1", "")
STRINGS = (
    "0",
    "1.0",
    "true",
    "on",
    "~",
    '""',
    "1e3",
    "0x1F",
    "2001-01-01",
    "[a]",
    "{a: b}",
    ".5",
    "null",
    "0o17",
    "1_0",
    "!!str 5",
    "'x'",
    "-",
)
NUMBERS = (
    "1.5",
    '"5"',
    "017",
    "1e3",
    "-1",
    "abc",
    "99999999999999999999",
    "true",
    "~",
    "[1]",
    "0x10",
    "1.0",
    "2147483648",
    "4294967296",
)
CLOS = ("x", "/", ".", "..", "a/b", "a\nb", "y" * 4096)
