# Tests of many ways of bands at once: as each by itself, and as rows looked at one by one
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import chain, product

import numpy as np
import pytest
from optimize.test_channel_groups import Inverted
from optimize.test_memory_regions import GraphBuilder
from tflm.tflite.reader import TfliteModel
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.band_cycles import band_cycles
from tflm_tools.optimize.memory.paces import Paces
from tflm_tools.optimize.memory.peaks import peaks
from tflm_tools.optimize.memory.progress import Progress, progress_of
from tflm_tools.optimize.memory.regions import Regions

HEIGHTS = (1, 2, 3, 4, 7)
NETS = [f"graph {number}" for number in range(30)] + [f"groups {number}" for number in range(8)]


# [(Region, ways, values made anew)] of parts of a random graph.
def regions(name):
    if name.startswith("graph"):
        number = int(name.split()[1])
        builder = GraphBuilder(name, number % 2, number % 3)
        model = builder.net.build(builder.now)
    else:
        model = Inverted(name).model
    subgraph = Graph(TfliteModel(model)).running()[0]
    found = Regions(subgraph)
    for first, last in product(range(len(subgraph.nodes)), repeat=2):
        region = found.region(first, last + 1) if first < last else None
        paces = region.paces(HEIGHTS) if region else []
        if paces:
            yield from ((region, paces, anew) for anew in (None, *region.anew()))


# All ways of a region, also those with bands in front: (Paces, way in it, pace, is with some).
def every_way(region, paces, anew):
    together = Paces(region, paces, anew)
    yield from ((together, way, pace, False) for way, pace in enumerate(paces))
    if anew is None:
        yield from ((led, at, paces[way], True) for way, led, at in together.led())


@pytest.mark.parametrize("name", NETS)
def test_each_by_itself(name):
    for region, paces, anew in regions(name):
        for together, way, pace, is_led in every_way(region, paces, anew):
            one = progress_of(region, *pace, anew=anew)
            one = one.led() if is_led else one
            same = Progress(together, way)
            for key in region.values:
                assert same.made[key] == one.made[key] and same.held[key] == one.held[key]
                if region.values[key].inside:
                    assert same.buffer_rows(key) == one.buffer_rows(key)
            cycles = [band_cycles(each, lambda node: 1000) for each in (together, one.alone)]
            for apart in (False, True):
                assert cycles[0][apart][way] == cycles[1][apart][0]
                assert peaks(together, apart)[way] == peaks(one.alone, apart)[0]
                scratch = {place: 112 * place for place in range(1, len(region.nodes))}
                most = peaks(together, apart, scratch)[way]
                assert most == peaks(one.alone, apart, scratch)[0] >= peaks(together, apart)[way]


class Rows:
    """The rows of each value of a Progress that are in use, as the operators run one by one."""

    def __init__(self, progress):
        self.progress, self.region = progress, progress.region
        outputs = self.region.outputs
        self.steps = [
            (at, *progress.span(key, band), self.read_by(at, band))
            for band in range(1, progress.bands + 1)
            for at, key in enumerate(outputs)
        ]
        values = self.region.values.items()
        given = [key for key, value in values if value.writer is None]
        self.there = {key: value.rows if key in given else 0 for key, value in values}

    # {key: (first, behind the last)} of the rows that an operator reads in a band; what gathers
    # rows adds those that are new.
    def read_by(self, place, band):
        way, found = self.region.ways[place], {}
        for key in self.region.inputs[place]:
            first, last = self.progress.span(self.region.outputs[place], band)
            if way.gathers:
                found[key] = tuple(self.progress.made[key][band - 1 : band + 1])
            elif first < last:
                found[key] = way.rows.first(first), way.rows.behind(last - 1)
        return found

    # The first row of a value that operators behind a step read, or None.
    def read_behind(self, step, key):
        read = [each[key] for *_, each in self.steps[step + 1 :] if key in each]
        return min((first for first, last in read if first < last), default=None)

    # Bytes of the rows from the first one on that is needed again.
    def bytes_behind(self, step):
        total = 0
        for key, value in self.region.values.items():
            first = self.read_behind(step, key)
            if value.stays or key == self.region.outputs[-1]:
                first = 0
            there = self.there[key]
            total += 0 if first is None else max(0, there - first) * value.row_bytes
        return total

    def peak(self):
        most = self.bytes_behind(-1)
        for step, (place, _, last, _) in enumerate(self.steps):
            key = self.region.outputs[place]
            self.there[key] = max(self.there[key], last)
            most = max(most, self.bytes_behind(step))
        return most


# Rows that strides leave out of an input are no part of the least that it needs.
def leaves_out(region):
    for value in region.values.values():
        for place, _ in value.readers:
            read = region.ways[place].tables.read
            if value.writer is None and not value.stays and read[-1] < value.rows:
                return True
    return False


def test_peak_beside_brute_force():
    seen = 0
    for region, paces, anew in chain.from_iterable(map(regions, NETS[:24])):
        if anew is None and len(region.nodes) < 6 and not leaves_out(region):
            for together, way, _, _ in every_way(region, paces, None):
                assert peaks(together)[way] == Rows(Progress(together, way)).peak()
                seen += 1
    assert seen > 1000


# Bands that a way does not have change nothing, whatever other ways there are beside it.
def test_columns():
    for region, paces, anew in regions("graph 3"):
        together = Paces(region, paces, anew)
        for way, bands in enumerate(together.bands):
            for key in region.outputs:
                first, last = (rows[way, bands:] for rows in together.spans[key])
                assert np.array_equal(first, last)
                assert len(set(together.made[key][way, bands:])) == 1
