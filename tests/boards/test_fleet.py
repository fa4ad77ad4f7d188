# Tests of tflm.fleet on an emulated stock Pico: packages of mip, and installing an update
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys

from cryptography.hazmat.primitives.asymmetric import ec
from session import Session
from tflm_tools.flat.flatten import flatten
from tflm_tools.fleet import update
from tflm_tools.packages import dist
from tflm_tools.port import invocation

_KEY = ec.derive_private_key(0x7F1E, ec.SECP256R1())

# Installs a downloaded update like Fleet. Prints heap and milliseconds of each step.
_INSTALL = """
import gc, json, time
import tflm

def measured(function, *arguments):
    gc.collect()
    begin = time.ticks_ms()
    found = function(*arguments)
    return found, time.ticks_diff(time.ticks_ms(), begin)

import tflm.interpreter, tflm.loading
gc.collect()
heap = gc.mem_free()
from tflm.fleet import Fleet
gc.collect()
heap -= gc.mem_free()
from tflm.fleet import p256, update
fleet = Fleet("http://10.0.0.1/DEFAULT", "pico", KEY, "digits")
store = fleet._store
file = open("digits-1.tflu", "rb")
manifest, signature_ms = measured(update.read_manifest, file.read, KEY)
_, store_ms = measured(store.store, manifest, "1", file.read)
is_active, trial_ms = measured(store.try_candidate)
offline = fleet.poll()
interp = tflm.Interpreter(tflm.load(fleet.model(), trusted=True))
interp.invoke()
fleet.confirm()
print(json.dumps([heap, signature_ms, store_ms, trial_ms, is_active, offline, fleet.model()]))
"""


def test_update_on_a_stock_pico(emulated, repository, tmp_path):
    tflite = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    zeros = bytes(64)
    _, outputs, _ = invocation.invoke(flatten(tflite), zeros)
    packed, key = update.pack(
        _KEY, "digits", 1, 1, zeros + outputs, flatten(tflite, target="armv6m")
    )
    names = []
    for name, data in dist.package_data("armv6m", ["cnn", "fleet"]).items():
        names.append(tmp_path / name)
        names[-1].write_bytes(data)
    (tmp_path / "digits-1.tflu").write_bytes(packed)
    board = emulated("RPI_PICO", stock=True)
    folders = ["fs", "mkdir", "lib", "lib/tflm"]
    copies = ["fs", "cp", *map(str, names), ":lib/tflm/"]
    for command in (folders, copies, ["fs", "cp", str(tmp_path / "digits-1.tflu"), ":"]):
        done = subprocess.run(
            [sys.executable, "-m", "mpremote", "connect", board.port, *command],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with Session(board) as session:
        said = session.exec(f"KEY = {key!r}\n" + _INSTALL)
    heap, signature_ms, store_ms, trial_ms, is_active, offline, path = json.loads(said)
    assert is_active is True and path == "/models/digits-1.tflm"
    assert offline == "failed"  # this board has no network
    assert heap <= 32_000 and signature_ms <= 1_300 and trial_ms <= 1_000
