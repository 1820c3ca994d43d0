#!/usr/bin/env python3
"""quiet_test.py TAKT MAKE_MODELS [NO_SOCKETS]: takt and the runtimes in it write nothing into the home folder and open no
socket to the network, while listing devices and while running a model for some seconds."""
import os
import pathlib
import subprocess
import sys
import tempfile

takt, make_models = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
no_sockets = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None


def files_after(command, folder):
    """What `command` left in a new home folder, and the sockets that it opened."""
    with tempfile.TemporaryDirectory() as place:
        home, sockets = pathlib.Path(place) / "home", pathlib.Path(place) / "sockets"
        home.mkdir()
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_", "TAKT_CACHE"))}
        environment = {**kept, "HOME": str(home), "TAKT_SOCKETS": str(sockets)}
        if no_sockets:
            environment["LD_PRELOAD"] = str(no_sockets)
        done = subprocess.run([takt, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, f"takt {' '.join(command)}: {done.stderr}"
        return sorted(str(path.relative_to(home)) for path in home.rglob("*")), sockets.exists()


def main():
    if no_sockets:  # the test can see a socket at all
        with tempfile.NamedTemporaryFile() as seen:
            subprocess.run([sys.executable, "-c", "import socket; socket.socket().close()"], check=True,
                           env={**os.environ, "LD_PRELOAD": str(no_sockets), "TAKT_SOCKETS": seen.name})
            assert b"socket" in seen.read(), "the preloaded library sees no socket"
    runtimes = subprocess.run([takt, "--version"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_models, folder], check=True)
        commands = [["devices"], ["run", "small.onnx", "--device", "sim:CPU"]]
        for runtime in ("onnxruntime", "openvino"):
            if runtime in runtimes:
                commands.append(["run", "small.onnx", "--runtime", runtime, "--iter", "20000", "--no-ops"])
        for command in commands:
            files, socket = files_after(command, folder)
            assert not files, f"takt {' '.join(command)} left {files} in the home folder"
            assert not socket, f"takt {' '.join(command)} opened a socket"


if __name__ == "__main__":
    main()
