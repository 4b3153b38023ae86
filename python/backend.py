"""Builds wheels of the package (PEP 517) with CMake and nothing else.

The library inside is the minimal one (libc and libm only) with libyaml and expat linked in where
libyaml.a and libexpat.a are found, so that the wheel works wherever the C library is as new as its name says. The same sources and
compiler give the same file, bit for bit.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

PYTHON = Path(__file__).resolve().parent
ROOT = PYTHON.parent
BUILD = Path(os.environ.get("HOLON_WHEEL_BUILD", ROOT / "build" / "wheel"))

SUMMARY = "Multibody dynamics: machines with closed loops, by many methods"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def version():
    text = (ROOT / "include/holon/base.h").read_text()
    return ".".join(re.findall(r"#define HN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def has_archive(name):
    folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        folders.append(f"/usr/lib/{multiarch}")
    return any((Path(f) / name).exists() for f in folders)


def build_extension():
    """Compiles and returns the folder of the package."""
    parts = {"YAML": "libyaml.a", "EXPAT": "libexpat.a"}
    linked = [f"-DHOLON_{k}={'ON' if has_archive(v) else 'OFF'}" for k, v in parts.items()]
    jobs = os.environ.get("JOBS", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release",
                    "-DHOLON_MINIMAL=ON", *linked, "-DHOLON_TESTS=OFF",
                    # a build folder whose objects are taken instead of compiled again: for the test
                    f"-DHOLON_OBJECTS_OF={os.environ.get('HOLON_WHEEL_OBJECTS', '')}",
                    f"-DHOLON_PYTHON={sys.executable}"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", str(BUILD), "--parallel", jobs, "--target",
                    "holon_python_package"], check=True, stdout=sys.stderr)
    folder = BUILD / "python" / "holon"
    if not (folder / "_core.abi3.so").exists():
        raise SystemExit("the extension was not built: Python.h is needed (Debian: python3-dev)")
    return folder


def platform_tag(library):
    """By the newest symbols of the C library that the extension asks for."""
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not machine.startswith("linux_"):
        return machine
    newest = max(int(v) for v in re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes()))
    return f"manylinux_2_{max(newest, 17)}_{machine.removeprefix('linux_')}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: holon\nVersion: {version()}\nSummary: {SUMMARY}\n"
            "Requires-Python: >=3.11\nRequires-Dist: numpy >=1.23\nProvides-Extra: studies\n"
            "Requires-Dist: scipy ; extra == 'studies'\nProvides-Extra: tables\n"
            "Requires-Dist: pandas ; extra == 'tables'\nRequires-Dist: xarray ; extra == 'tables'\n"
            "Description-Content-Type: text/markdown\n\n" + (PYTHON / "README.md").read_text())


def write_member(archive, name, data):
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
    entry.create_system = 3
    archive.writestr(entry, data, compresslevel=9)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = build_extension()
    tag = f"cp311-abi3-{platform_tag(folder / '_core.abi3.so')}"
    name, info = f"holon-{version()}-{tag}.whl", f"holon-{version()}.dist-info"
    sources = sorted((PYTHON / "holon").iterdir())
    names = [p.name for p in sources if p.is_file() and p.suffix in (".py", ".pyi", ".typed")]
    names += ["py.typed", "_core.abi3.so", "holon-viewer.html"]
    members = {f"holon/{n}": (folder / n).read_bytes() for n in sorted(set(names))}
    members[f"{info}/METADATA"] = metadata().encode()
    members[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: holon\nRoot-Is-Purelib: false\n"
                                f"Tag: {tag}\n").encode()
    for text in ("LICENSE", "NOTICE"):
        members[f"{info}/{text}"] = (ROOT / text).read_bytes()
    record = []
    for member, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{member},sha256={digest},{len(data)}\n")
    members[f"{info}/RECORD"] = ("".join(record) + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as archive:
        for member, data in members.items():
            write_member(archive, member, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("build from the sources of the repository: pip install ./python")


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(target))
