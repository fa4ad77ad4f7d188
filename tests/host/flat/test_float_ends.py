# Tests of the commands on models with float32 inputs and outputs
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from optimize.float_models import model, values
from tflm_tools.check import oracle
from tflm_tools.check.verify import verify


# Commands use float32 arrays for the .tflite and for its .tflm, which keeps integers.
def test_commands_use_float32(tflm, tmp_path):
    path, flat = tmp_path / "model.tflite", tmp_path / "model.tflm"
    path.write_bytes(model("commands"))
    found = tflm("flatten", path, "-o", flat)
    assert found.code == 0 and "float-ends" in found.out
    assert verify(path).is_equal()
    x = np.clip(np.nan_to_num(values((1, 6, 8, 4))), -9, 9)
    np.save(tmp_path / "x.npy", x)
    wanted = oracle.run(path.read_bytes(), [[x]]).outputs[0][0]
    for file in (path, flat):
        found = tflm("run", file, "--input", tmp_path / "x.npy", "--output-dir", tmp_path / "out")
        assert found.code == 0, found.err
        array = np.load(tmp_path / "out" / "output_0.npy")
        assert (array.dtype, array.tobytes()) == (np.float32, wanted.tobytes())
    found = tflm("inspect", flat)
    assert "float32 as int8" in found.out
