# Tests of `tflm micropython`, which runs MicroPython in a separate process
# MIT license; Copyright (c) 2026 the tflm authors

import os
import signal
import subprocess
import sys

import pytest
import tflm

_PROGRAM = """\
import sys, time, tflm, beside
try:
    print(tflm.__version__, sys.argv[1:], [path for path in sys.path if "site-packages" in path])
    time.sleep(20)
except KeyboardInterrupt:
    print("heard")
sys.exit(7)
"""


@pytest.fixture
def command(tmp_path, repository):
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)}

    def start(*arguments, **variables):
        return subprocess.Popen(
            [sys.executable, "-m", "tflm_tools", "micropython", *arguments],
            env={**environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            start_new_session=True,
        )

    return start


# The program gets arguments and Ctrl-C, and sets the exit code. Temporary folders are removed.
def test_program(command, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "beside.py").touch()
    (tmp_path / "program.py").write_text(_PROGRAM)
    with command("program.py", "-h", "--", "x", MICROPYPATH="own") as running:
        assert running.stdout.readline() == f"{tflm.__version__} ['-h', '--', 'x'] []\n"
        os.killpg(running.pid, signal.SIGINT)
        assert running.communicate(timeout=20) == ("heard\n", "")
    assert running.returncode == 7
    assert sorted(os.listdir(tmp_path)) == ["own", "program.py"]


# A signal to tflm also ends MicroPython, and temporary folders are removed.
def test_ended(command, tmp_path):
    with command("-c", "print(1)\nwhile True: pass") as running:
        assert running.stdout.readline() == "1\n"
        assert os.listdir(tmp_path)
        running.terminate()
        assert running.communicate(timeout=20) == ("", "")  # both ends of the pipes are closed
    assert running.returncode == 143 and not os.listdir(tmp_path)


def test_no_micropython(command):
    with command("-c", "", TFLM_MICROPYTHON="/none/there") as running:
        said = running.communicate(timeout=20)
    assert running.returncode == 1 and said[0] == ""
    assert said[1].startswith("tflm: there is no MicroPython at /none/there; install it with:")
