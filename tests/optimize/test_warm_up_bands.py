# Tests of warm-up bands, which keep the first band's buffers small, and of spilled rows
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

import pytest
from optimize.banded_models import banded_model, differences_from_tflm
from optimize.network import Network
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands.band_schedule import BandSchedule
from tflm_tools.bands.region import RegionFinder
from tflm_tools.model.graph import Graph

LAST = 4


# A .tflite of convolutions with strides: the first row of the output needs 15 rows of the input,
# each further row 8.
def strided_model():
    net = Network("strides", (48, 8, 4))
    now = net.inputs[0]
    for stride in (1, 2, 2, 1, 2):
        now = net.conv(now, 4, 3, stride)
    return net.build(now)


# A BandSchedule of all its operators; options: (height, pacing operator).
def schedule_of(spilled, *options):
    subgraph = Graph(TfliteModel(strided_model())).running()[0]
    return BandSchedule(RegionFinder(subgraph).region(0, LAST + 1), *options, spilled=spilled)


# Warm-up bands make no buffer larger, and compute the same rows in the end.
def test_buffers():
    plain = schedule_of(False, 1)
    warm = plain.with_warm_up_bands()
    assert warm.bands > plain.bands and warm.with_warm_up_bands() is None
    internal = [key for key, each in warm.region.feature_maps.items() if each.is_internal]
    assert all(warm.buffer_rows(key) <= plain.buffer_rows(key) for key in internal)
    assert sum(map(warm.buffer_rows, internal)) < 0.7 * sum(map(plain.buffer_rows, internal))
    for key in warm.region.outputs:
        assert warm.computed[key][-plain.bands :] == plain.computed[key][-plain.bands :]
        steps = [after - before for before, after in pairwise(warm.computed[key])]
        second_band = plain.computed[key][2] - plain.computed[key][1]
        assert min(steps) >= 0 and max(steps[:-1]) == second_band


# No warm-up bands if the first band needs no more than the others.
def test_no_warm_up_bands_without_strides():
    net = Network("plain", (16, 8, 4))
    now = net.conv(net.conv(net.inputs[0], 4, 3), 4, 3)
    region = RegionFinder(Graph(TfliteModel(net.build(now))).running()[0]).region(0, 2)
    assert BandSchedule(region, 1).with_warm_up_bands() is None


# Each band that uses a feature map restores the rows that an earlier band saved, and saves all
# rows that later bands need, also rows at the front of their buffer: other tensors may overlap it.
@pytest.mark.parametrize("options", [(1,), (2, 2), (1, 0), (3, 0)])
def test_spilled_rows(options):
    plain, at_front = schedule_of(True, *options), 0
    for schedule in filter(None, (plain, plain.with_warm_up_bands())):
        computed, outputs = schedule.computed, schedule.region.outputs
        for key, feature_map in schedule.region.feature_maps.items():
            saved, first_held = 0, schedule.first_held[key]
            users = key, *(outputs[position] for position, _ in feature_map.readers)
            for band in range(1, schedule.bands + 1):
                is_used = any(computed[each][band] > computed[each][band - 1] for each in users)
                restored, copied = (
                    schedule.restored_rows(key, band),
                    schedule.copied_rows(key, band),
                )
                if not feature_map.is_internal or not is_used:
                    assert restored == copied == 0
                    continue
                assert restored == saved
                saved = copied
                if band < schedule.bands:
                    assert saved == computed[key][band] - first_held[band]
                at_front += saved > 0 and first_held[band] == first_held[band - 1]
    assert at_front


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_outputs(target):
    model, flat_models = strided_model(), []
    for height, *pacing in ((1,), (2,), (1, 2), (2, 2), (1, 0), (3, 0)):
        for spilled in (False, True):
            for warm_up in (False, True):
                chain = 0, LAST, height, *(pacing or [None]), spilled
                flat = banded_model(model, [chain], target, warm_up)[0]
                flat_models.append((f"{chain} {warm_up}", model, flat))
    assert not differences_from_tflm(flat_models)
