"""What takt needs from the system, at which level, and how each distribution calls it. Whether it is there is found out
by looking for the thing itself (a command, a pkg-config module, a header), so a system without apt, or with libraries
of one's own, counts as complete when it is.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple, Optional

# What each level takes in. Tests do without libtorch: it is nine tenths of what they would need, for one command's.
LEVELS = {"build": {"build"}, "torch": {"build", "torch"}, "test": {"build", "test"},
          "check": {"build", "torch", "test", "check"}}


class Need(NamedTuple):
    level: str
    debian: str
    fedora: str
    arch: str
    lowest: Optional[str] = None
    command: Optional[str] = None
    module: Optional[str] = None  # of pkg-config
    header: Optional[str] = None  # where pkg-config knows nothing of it
    file: Optional[str] = None    # patterns of files, one of which must exist, between bars


def library(level, debian, fedora, arch, lowest, module, header):
    return Need(level, debian, fedora, arch, lowest, None, module, header)


# None of these packages starts a service.
NEEDS = (
    Need("build", "g++", "gcc-c++", "gcc", "12", "c++"),
    Need("build", "cmake", "cmake", "cmake", "3.25", "cmake"),
    Need("build", "ninja-build", "ninja-build", "ninja", None, "ninja"),
    Need("build", "make", "make", "make", None, "make"),
    Need("build", "pkg-config", "pkgconf-pkg-config", "pkgconf", None, "pkg-config"),
    Need("build", "protobuf-compiler", "protobuf-compiler", "protobuf", "3.21", "protoc"),
    library("build", "libfmt-dev", "fmt-devel", "fmt", "9", "fmt", "fmt/core.h"),
    library("build", "libspdlog-dev", "spdlog-devel", "spdlog", "1.10", "spdlog", "spdlog/spdlog.h"),
    library("build", "libcli11-dev", "cli11-devel", "cli11", "2.1", "CLI11", "CLI/CLI.hpp"),
    library("build", "libyaml-cpp-dev", "yaml-cpp-devel", "yaml-cpp", "0.7", "yaml-cpp", "yaml-cpp/yaml.h"),
    library("build", "nlohmann-json3-dev", "json-devel", "nlohmann-json", "3.11", "nlohmann_json", "nlohmann/json.hpp"),
    library("build", "libsimdjson-dev", "simdjson-devel", "simdjson", "3.0", "simdjson", "simdjson.h"),
    library("build", "libprotobuf-dev", "protobuf-devel", "protobuf", "3.21", "protobuf", "google/protobuf/message.h"),
    library("build", "libpcre2-dev", "pcre2-devel", "pcre2", "10", "libpcre2-8", "pcre2.h"),
    library("build", "libxgboost-dev", "xgboost-devel", "xgboost", "1.6", "xgboost", "xgboost/c_api.h"),
    library("build", "libisal-dev", "isa-l-devel", "isa-l", "2.30", "libisal", "isa-l.h"),
    Need("torch", "libtorch-dev", "python3-torch-devel", "python-pytorch",
         file="usr/include/torch/csrc/api/include/torch/torch.h"),
    Need("torch", "libopenblas0-pthread", "openblas-threads", "openblas", file="usr/lib/*/libopenblas.so*|usr/lib*/libopenblas*.so*"),
    Need("test", "git", "git", "git", None, "git"),
    Need("test", "ccache", "ccache", "ccache", None, "ccache"),
    Need("test", "nodejs", "nodejs", "nodejs", "18", "node"),
    Need("test", "chromium", "chromium", "chromium", file="usr/bin/chromium|usr/bin/chromium-browser"),
    library("test", "libgtest-dev", "gtest-devel", "gtest", "1.12", "gtest", "gtest/gtest.h"),
    library("test", "libgmock-dev", "gmock-devel", "gtest", "1.12", "gmock", "gmock/gmock.h"),
    library("test", "libbenchmark-dev", "google-benchmark-devel", "benchmark", "1.7", "benchmark",
            "benchmark/benchmark.h"),
    Need("check", "clang-format-14", "clang-tools-extra", "clang", None, "clang-format-14"),
    Need("check", "clang-tidy-14", "clang-tools-extra", "clang", None, "clang-tidy-14"),
    Need("check", "clang-14", "clang", "clang", None, "clang++-14"),
    Need("check", "lld-14", "lld", "lld", None, "ld.lld-14"),
    Need("check", "libclang-rt-14-dev", "compiler-rt", "compiler-rt",
         file="usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a"),
)
PIP = Need("build", "python3-pip", "python3-pip", "python-pip")


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def output(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def command_is_there(command, lowest):
    path = shutil.which(command)
    if not path or not lowest:
        return bool(path)
    found = re.search(r"\d+(\.\d+)*", output([path, "-dumpfullversion" if command == "c++" else "--version"]))
    # A compiler that does not know the flag (clang) is left for CMake to judge.
    return not found or numbers(found.group()) >= numbers(lowest)


def include_folders():
    """Where the compiler and CMake look for headers: the compiler's own list, then CMAKE_PREFIX_PATH."""
    compiler = shutil.which("c++")
    text = ""
    if compiler:
        text = subprocess.run([compiler, "-E", "-x", "c++", "-", "-v"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True).stderr
    folders = [line.strip() for line in text.splitlines() if line.startswith(" /")]
    folders = folders or ["/usr/include", "/usr/local/include"]
    prefixes = re.split("[:;]", os.environ.get("CMAKE_PREFIX_PATH", ""))
    return folders + [os.path.join(prefix, "include") for prefix in prefixes if prefix]


def library_is_there(need, folders):
    """By pkg-config, which knows versions; else by its header: CMake then judges the version."""
    if shutil.which("pkg-config"):
        version = output(["pkg-config", "--modversion", need.module])
        if version:
            return numbers(version) >= numbers(need.lowest)
    return any(os.path.exists(os.path.join(folder, need.header)) for folder in folders)


def is_there(need, folders):
    if need.command:
        return command_is_there(need.command, need.lowest)
    if need.file:
        return any(any(Path("/").glob(pattern)) for pattern in need.file.split("|"))
    return library_is_there(need, folders)


def missing(level):
    """What `level` needs and the system does not have, in the order of NEEDS."""
    wanted = [need for need in NEEDS if need.level in LEVELS[level]]
    folders = include_folders()
    return [need for need in wanted if not is_there(need, folders)]


def distribution():
    """'debian', 'fedora' or 'arch' by the system's package program; None where it has none of theirs."""
    for name, program in (("debian", "apt-get"), ("fedora", "dnf"), ("arch", "pacman")):
        if shutil.which(program):
            return name
    return None


def names(needs, system):
    """The packages' names in the words of `system`, each once."""
    return list(dict.fromkeys(getattr(need, system or "debian") for need in needs))


def command_for(needs, system):
    """What an administrator would type there; None for a system whose packages are not known."""
    install = {"debian": "apt-get update && apt-get install -y --no-install-recommends", "fedora": "dnf install",
               "arch": "pacman -S --needed"}.get(system)
    return f"{install} {' '.join(names(needs, system))}" if install else None
