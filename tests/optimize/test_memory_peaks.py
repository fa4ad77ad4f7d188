# Tests of what bands need at least: as rows looked at one by one tell
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import chain, product

import pytest
from optimize.test_channel_groups import Inverted
from optimize.test_memory_regions import GraphBuilder
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.model.graph import Graph
from tflm_tools.model.schema import BuiltinOperator
from tflm_tools.optimize.memory.edges import Edges
from tflm_tools.optimize.memory.glimpse import Glimpse
from tflm_tools.optimize.memory.peaks import peak
from tflm_tools.optimize.memory.progress import Progress
from tflm_tools.optimize.memory.regions import Regions

HEIGHTS = (1, 2, 3, 4, 7)
COUNT = 24


# The Regions of parts of a random graph, few operators each, that read all rows of their inputs.
def regions(number):
    builder = GraphBuilder(f"graph {number}", number % 2, number % 3)
    subgraph = Graph(TfliteModel(builder.net.build(builder.now))).running()[0]
    found = Regions(subgraph)
    for first, last in product(range(len(subgraph.nodes)), repeat=2):
        region = found.region(first, last + 1) if first < last else None
        if region is not None and len(region.nodes) < 6 and not leaves_out(region):
            yield region


# All ways of a region, also those with bands in front.
def every_way(region):
    for pace in region.paces(HEIGHTS):
        plain = Progress(region, *pace)
        yield from filter(None, (plain, plain.led()))


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
            rows = region.ways[place].rows
            read = {
                row
                for at in range(rows.output_rows)
                for row in range(rows.first(at), rows.behind(at))
            }
            if value.writer is None and not value.stays and len(read) < value.rows:
                return True
    return False


def no_scratch(_place, _rows):
    return 0


def some_scratch(place, rows):
    return 24 * place + 16 * rows


def test_peak_beside_brute_force():
    seen = 0
    for region in chain.from_iterable(map(regions, range(COUNT))):
        for way in every_way(region):
            apart = peak(way.with_rows_apart(), no_scratch)
            assert peak(way, no_scratch) == Rows(way).peak() <= apart
            seen += 1
    assert seen > 1000


# The regions of a model of inverted residuals, and of random graphs.
def more_regions():
    yield from chain.from_iterable(map(regions, range(COUNT)))
    for number in range(3):
        graph = Graph(TfliteModel(Inverted(f"glimpse {number}", blocks=2).model))
        found, count = Regions(graph.running()[0]), len(graph.running()[0].nodes)
        for first, last in product(range(count), repeat=2):
            region = found.region(first, last + 1) if first < last else None
            if region is not None:
                yield region


# What some bands tell is never more than what all of them do, for bytes and for cycles, and where
# a limit is passed that shows.
def test_glimpses_beside_all_bands():
    seen, same, anew_seen = 0, 0, 0

    def cycles_of(node):
        return 7 * node.outputs[0].elements()

    for region in more_regions():
        ways = [(*pace, None) for pace in region.paces(HEIGHTS)]
        ways += [(*pace, anew) for pace, anew in product(region.paces((1, 2)), region.anew())]
        for height, place, anew in ways:
            glimpse = Glimpse(region, height, place, anew)
            plain = glimpse.progress()
            assert plain.bands == glimpse.bands
            led = None if anew else plain.led()
            for way in filter(None, (plain, led)):
                seen, anew_seen = seen + 1, anew_seen + bool(anew)
                assert glimpse.cycles(cycles_of) <= way.cycles(cycles_of)
                for scratch_of in (no_scratch, some_scratch):
                    least = glimpse.needs_over(1 << 50, scratch_of, way is led)
                    assert 0 < glimpse.needs_over(least - 1, scratch_of, way is led) <= least
                    most = peak(way, scratch_of)
                    assert least <= most
                    same += scratch_of is no_scratch and least == most
                    if not anew:
                        assert least <= peak(way.with_rows_apart(), scratch_of)
    assert seen > 1500 and anew_seen > 100 and same > 0.6 * seen


# Graphs with operators that run in bands, as the Levels of a model see them.
def searched():
    for number in range(COUNT):
        builder = GraphBuilder(f"graph {number}", number % 2, number % 3)
        yield builder.net.build(builder.now)
        yield Inverted(f"scratch {number}").model


# What is told of scratch and records before a way is looked at is no more than the least that it
# can do with.
@pytest.mark.parametrize(("target", "miss"), [("armv6m", None), ("armv6m", 0), ("armv7em", None)])
def test_scratch_that_a_way_needs(target, miss, monkeypatch):
    seen, told, estimated = set(), set(), Edges._estimated

    def noted(edges, edge, more, wide):
        made = estimated(edges, edge, more, wide)
        region = edge.progress.region
        for each in [edge, *more] if made else ():
            records = edges._probe.least_block_bytes(region, each.progress.anew)
            assert records <= each.needs.records
            told.add((bool(each.progress.anew), records == each.needs.records))
            for place, size in each.needs.at.items():
                rows = each.progress.most_rows(region.outputs[place])
                node, way = region.nodes[place], region.ways[place]
                least = edges._probe.least_scratch(node, way, rows)
                assert least <= size
                seen.add((node.builtin_code, least == size, least > 0))
        return made

    monkeypatch.setattr(Edges, "_estimated", noted)
    for model in searched():
        levels = levels_of(optimized_model(model)[0], None, target, miss=miss)
        levels._plans.least(levels._plans.head(levels._plans.model), None, 256, {})
    kinds = {BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D}
    kinds |= {BuiltinOperator.ADD, BuiltinOperator.TRANSPOSE_CONV} if target == "armv6m" else set()
    assert {(kind, True, True) for kind in kinds} <= seen
    assert {(False, True), (True, True), (True, False)} <= told
    if target == "armv7em":  # where a CONV_2D has but one way
        assert all(same for kind, same, _ in seen if kind == BuiltinOperator.CONV_2D)
