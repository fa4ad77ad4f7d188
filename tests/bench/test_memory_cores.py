# Tests of the assembler kernels over their own input and in bands: emulated, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import importlib

import numpy as np
import pytest
from optimize.banded_models import banded_model
from packed_cases import BUILD, check_outputs, emulated, firmware_of, require_firmware
from support.case import Case
from support.oracle import shared_oracle
from tflm_tools.flat.flatten import flatten

CORE = "m0plus"
require_firmware(CORE)
_EVERY = 3  # one of this number of cases of test_memory_distances.py runs here
_CHAINS = 8
_GRAPHS = 4

distances = importlib.import_module("optimize.test_memory_distances")
bands = importlib.import_module("optimize.test_memory_bands")
reductions = importlib.import_module("optimize.test_reductions_in_bands")
regions = importlib.import_module("optimize.test_memory_regions")
stream_input = importlib.import_module("optimize.test_stream_input")
align_to_words = distances.align_to_words


@pytest.fixture(scope="module")
def files():
    return emulated.file_system(BUILD, CORE)


# Cases flattened for this core.
@pytest.mark.parametrize("source", distances.SOURCES)
def test_over_its_input(source, files):
    found = [case for case in distances.chosen_cases(source)[0] if "speed armv6m" in case.paths]
    for case in found[::_EVERY]:
        check_outputs(case, CORE, files, paths=["speed armv6m"])


# Return a pool of a picture that runs in bands, with odd numbers of cells or channels.
def _pooled(kind, width, channels):
    name, height = f"{kind} {width}x{channels}", 7
    net = regions.Network(name, (height, width, channels))
    window = {"filter_height": height, "filter_width": width}
    options = {**window, "stride_h": height, "stride_w": width, "padding": "VALID"}
    inner = net.unary("LOGISTIC", net.inputs[0], 1 / 256, -128)
    model = net.build(net.unary(kind, inner, shape=(1, 1, 1, channels), **options))
    return name, model, *banded_model(model, [(0, 1, 3, 0)], "armv6m")[:2]


# Chains, graphs with decoders and pooled heads, and FULLY_CONNECTED of a picture.
BANDED_MODELS = bands.random_chains("armv6m", _CHAINS) + regions.random_graphs("armv6m", _GRAPHS)
BANDED_MODELS += [_pooled("AVERAGE_POOL_2D", 7, 4), _pooled("MAX_POOL_2D", 8, 5)]
BANDED_MODELS += filter(
    None, [reductions.random_model("dense", "int8", number, "armv6m") for number in range(6)]
)


@pytest.mark.parametrize("banded", BANDED_MODELS, ids=lambda banded: banded[0])
def test_in_bands(banded, files):
    name, model, flat, _ = banded
    run = Case(name, model, inputs="random").input_lists()[0]
    wanted = shared_oracle().run(model, [run], False)[0]
    inputs = [array.tobytes() for array in run]
    firmware = firmware_of(CORE)
    measured = emulated.measure(CORE, firmware, files, flat, inputs, alignment=True)
    for output, array in zip(measured.outputs, wanted, strict=True):
        assert np.array_equal(np.frombuffer(output, array.dtype), array.ravel())


# The bench gives the rows one by one: in bands, and to a buffer that holds them all.
@pytest.mark.parametrize("name", ["chain", "valid line", "single values"])
@pytest.mark.parametrize("level", ["ram", "off"])
def test_by_rows(level, name, files):
    model = stream_input.MODELS[name]
    (x,) = Case(name, model, inputs="random").input_lists()[0]
    flat = flatten(model, target="armv6m", optimize=level, by_rows=True)
    measured = emulated.measure(
        CORE, firmware_of(CORE), files, flat, [x.tobytes()], True, x.nbytes // x.shape[1]
    )
    wanted = shared_oracle().run(model, [[x]], False)[0][0]
    assert measured.outputs[0] == wanted.tobytes()
    assert len(set(wanted.ravel())) > 1
