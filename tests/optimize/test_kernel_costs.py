# Tests of the estimated times of operators against the cycles in docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import csv

import numpy as np
import pytest
from optimize.network import Network
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.model.graph import Graph
from tflm_tools.optimize import kernel_costs
from tflm_tools.optimize.as_int8 import as_int8
from tflm_tools.optimize.invoke_time import BOARDS, CORES, board_times, node_cycles


def _rows(repository, name):
    return csv.DictReader((repository / "docs" / "data" / name).read_text().splitlines())


# The counts of an invoke without waits, by the table.
def _count(model, target):
    found = kernel_costs.invoke_cycles(target)
    for node, kernels, _ in node_cycles(model, target):
        found += kernel_costs.kernel_cycles(node, target, kernels)
    return found


# Networks that the table was not fitted to.
@pytest.mark.parametrize("target, table, column", [
    ("armv6m", "no-wait-states.csv", "m0plus_cycles"),
    ("armv7em", "pico2.csv", "cycles"),
    ("mac16", "stock-firmware.csv", "xtensa_mac16_instructions"),
])  # fmt: skip
def test_estimates_of_networks(repository, shared_models, target, table, column):
    names = "mlperf_kws_int8", "mlperf_ad01_int8", "mlperf_resnet8_int8"
    for row in _rows(repository, table):
        if row["model"] in names:
            data = (shared_models / f"{row['model']}.tflite").read_bytes()
            model = FlattenPipeline(data, FlattenOptions(target)).optimized
            assert _count(model, target) == pytest.approx(int(row[column]), rel=0.2), row["model"]


def test_table_has_all_boards():
    assert set(BOARDS.values()) == set(CORES) == kernel_costs.machines()


# An operator that was not counted costs as much as others with its kernels, or of its type.
def test_unknown_operators():
    assert kernel_costs.cost_of("armv6m", "NEW", "int8", ["lookup.eval_int8"]).element > 0
    assert any(kernel_costs.cost_of("armv6m", "NEW", "int8", ["new.eval_int8"]).values())


# An operator is marked on boards where a portable kernel runs it.
def test_portable_kernels():
    model = ModelBuilder()
    x = model.tensor((1, 9, 9, 8), "int8", scale=0.1, zero_point=0)
    weights = model.tensor((8, 3, 3, 8), "int8", [1] * 576, scale=0.1, zero_point=0)
    y = model.tensor((1, 5, 5, 8), "int8", scale=0.1, zero_point=0)
    model.operator("CONV_2D", [x, weights, None], [y], stride_h=1, stride_w=1, padding="VALID",
                   dilation_h_factor=2, dilation_w_factor=2)  # fmt: skip
    model.io([x], [y])
    graph = FlattenPipeline(model.build(), FlattenOptions()).optimized
    ((node, kernels, _),) = node_cycles(graph, "rv32imc")
    assert kernel_costs.form_of(node) == "CONV_2D dilated"
    is_marked = any(kernel_costs.is_portable(kernel, "rv32imc") for kernel in kernels)
    assert ("esp32c3" in board_times(graph).portable.get(0, [])) == is_marked
    assert kernel_costs.is_portable("no_override.eval_int8", "armv6m")
    assert not kernel_costs.is_portable("conv_lanes.eval_int8", "armv6m")


# A row of 6 positions has tiles of 4 and 2 positions with a filter of 1 x 1, and a tile of 4 and 2
# single positions with a filter of 3 x 3.
@pytest.mark.parametrize("side, tile_positions", [(1, 8), (3, 6)])
def test_tiles_of_convolutions(side, tile_positions):
    model = ModelBuilder()
    x, y = (model.tensor((1, 6, 6, count), "float32") for count in (8, 3))
    weights = model.tensor((3, side, side, 8), "float32", np.ones((3, side, side, 8)))
    model.operator("CONV_2D", [x, weights, None], [y], stride_h=1, stride_w=1, padding="SAME")
    model.io([x], [y])
    graph = FlattenPipeline(model.build(), FlattenOptions(without=("all",))).optimized
    ((node, kernels, _),) = node_cycles(graph, "armv7em")
    work = kernel_costs.work_of(node, kernels)
    assert work.tile == pytest.approx(work.mac * tile_positions / 6 * 4 / 3)
    assert work.window == 36 * 3 * side * side * 8


# DEPTHWISE_CONV_2D of float32 with few channels is slow.
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_narrow_depthwise(channels):
    model = ModelBuilder()
    x, y = (model.tensor((1, 6, 6, channels), "float32") for _ in range(2))
    weights = model.tensor((1, 3, 3, channels), "float32", np.ones((1, 3, 3, channels)))
    model.operator("DEPTHWISE_CONV_2D", [x, weights, None], [y], stride_h=1, stride_w=1,
                   padding="SAME", depth_multiplier=1)  # fmt: skip
    model.io([x], [y])
    graph = FlattenPipeline(model.build(), FlattenOptions(without=("all",))).optimized
    ((node, _, _),) = node_cycles(graph, "armv7em")
    is_narrow = channels < 4
    assert kernel_costs.form_of(node) == "DEPTHWISE_CONV_2D" + " narrow" * is_narrow


# A DEPTHWISE_CONV_2D that kernels compute as a CONV_2D costs as much as one.
def test_depthwise_as_convolution():
    model = ModelBuilder()
    x, y = (model.tensor((1, 6, 6, n), "int8", scale=0.1, zero_point=0) for n in (1, 8))
    weights = model.tensor((1, 5, 5, 8), "int8", [1] * 200, scale=0.1, zero_point=0)
    model.operator("DEPTHWISE_CONV_2D", [x, weights, None], [y], stride_h=1, stride_w=1,
                   padding="SAME", depth_multiplier=8)  # fmt: skip
    model.io([x], [y])
    graph = FlattenPipeline(model.build(), FlattenOptions(without=("all",))).optimized
    ((node, kernels, _),) = node_cycles(graph, "armv6m")
    assert kernels == ("conv_lanes.eval_int8",)
    assert kernel_costs.form_of(node, kernels) == "CONV_2D"
    work = kernel_costs.work_of(node, kernels)
    assert (work.window, work.row, work.source) == (36 * 200, 36 * 5, 36 * 25)


# RESHAPE copies nothing.
def test_reshape_costs_nothing():
    ends = Tensor((64, 2), "float32"), Tensor((1, 128), "float32")
    model = single_op("RESHAPE", [ends[0]], [ends[1]], new_shape=[1, 128])
    graph = FlattenPipeline(model, FlattenOptions(without=("all",))).optimized
    assert [cycles for _, _, cycles in node_cycles(graph, "armv7em")] == [0]


# A float32 model made int8 runs the kernels of the same model in int8.
@pytest.mark.parametrize("target", CORES)
def test_float_model_as_int8(target):
    def network(dtype):
        net = Network("as int8", (8, 8, 8), dtype=dtype)
        x = net.inputs[0]
        y = net.conv(net.depthwise(x), 8, activation="NONE")
        return net.build(net.conv(net.pool("MAX_POOL_2D", net.binary("ADD", x, y), 2), 4, 3))

    model, numbers = as_int8(Graph(TfliteModel(network("float32"))))
    rows = zip(
        node_cycles(model, target), node_cycles(TfliteModel(network("int8")), target), strict=True
    )
    for (node, *row), (_, *expected) in rows:
        assert node.index in numbers and row == expected
