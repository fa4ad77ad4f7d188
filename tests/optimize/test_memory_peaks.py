# Tests of lower bounds of bands in bytes and cycles, beside brute force and exact schedules
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import chain, product

from optimize.test_channel_groups import InvertedResiduals
from optimize.test_memory_regions import GraphBuilder
from tflm.tflite.reader import TfliteModel
from tflm_tools.bands.band_schedule import BandSchedule
from tflm_tools.bands.peak_memory import peak_bytes
from tflm_tools.bands.region import RegionFinder
from tflm_tools.model.graph import Graph
from tflm_tools.optimize.memory.search.lower_bound import BandLowerBound

HEIGHTS = (1, 2, 3, 4, 7)
COUNT = 24


# All Regions of a .tflite, with these numbers of operators.
def regions_of(model, sizes):
    subgraph = Graph(TfliteModel(model)).running()[0]
    finder = RegionFinder(subgraph)
    for first, last in product(range(len(subgraph.nodes)), repeat=2):
        region = finder.region(first, last + 1) if first < last else None
        if region is not None and len(region.nodes) in sizes:
            yield region


# Small Regions of a random graph that read all rows of their inputs.
def small_regions(number):
    builder = GraphBuilder(f"graph {number}", number % 2, number % 3)
    for region in regions_of(builder.net.build(builder.now), range(6)):
        if not skips_rows(region):
            yield region


# All BandSchedules of a region with kept rows, also with warm-up bands.
def all_schedules(region):
    for height in region.band_heights(HEIGHTS):
        plain = BandSchedule(region, *height)
        yield from filter(None, (plain, plain.with_warm_up_bands()))


class RowUsage:
    """The rows of each feature map that are in use while the operators of a schedule run."""

    def __init__(self, schedule):
        self.schedule, self.region = schedule, schedule.region
        outputs = self.region.outputs
        self.steps = [
            (position, *schedule.span(key, band), self.rows_read(position, band))
            for band in range(1, schedule.bands + 1)
            for position, key in enumerate(outputs)
        ]
        feature_maps = self.region.feature_maps.items()
        self.computed = {
            key: each.rows if each.writer is None else 0 for key, each in feature_maps
        }

    # {key: (first, end)} of the rows that an operator reads in a band. A reduction reads new rows.
    def rows_read(self, position, band):
        access, read = self.region.accesses[position], {}
        for key in self.region.inputs[position]:
            first, end = self.schedule.span(self.region.outputs[position], band)
            if access.is_reduction:
                read[key] = tuple(self.schedule.computed[key][band - 1 : band + 1])
            elif first < end:
                read[key] = access.rows.first(first), access.rows.end(end - 1)
        return read

    # The first row of a feature map that operators after a step read, or None.
    def first_read_later(self, step, key):
        read = [each[key] for *_, each in self.steps[step + 1 :] if key in each]
        return min((first for first, end in read if first < end), default=None)

    # Bytes of all rows that are needed after a step.
    def bytes_after(self, step):
        total = 0
        for key, feature_map in self.region.feature_maps.items():
            first = self.first_read_later(step, key)
            if feature_map.is_needed_after or key == self.region.outputs[-1]:
                first = 0
            rows = 0 if first is None else max(0, self.computed[key] - first)
            total += rows * feature_map.row_bytes
        return total

    def peak(self):
        peak = self.bytes_after(-1)
        for step, (position, _, end, _) in enumerate(self.steps):
            key = self.region.outputs[position]
            self.computed[key] = max(self.computed[key], end)
            peak = max(peak, self.bytes_after(step))
        return peak


# True if strides skip rows of an input, which need no memory in a lower bound.
def skips_rows(region):
    for feature_map in region.feature_maps.values():
        for position, _ in feature_map.readers:
            rows = region.accesses[position].rows
            read = {
                row
                for output_row in range(rows.output_rows)
                for row in range(rows.first(output_row), rows.end(output_row))
            }
            is_input = feature_map.writer is None and not feature_map.is_needed_after
            if is_input and len(read) < feature_map.rows:
                return True
    return False


def test_peak_beside_brute_force():
    seen = 0
    for region in chain.from_iterable(map(small_regions, range(COUNT))):
        for schedule in all_schedules(region):
            spilled = peak_bytes(schedule.with_spilled_rows())
            peak = peak_bytes(schedule)
            assert peak == RowUsage(schedule).peak() <= spilled
            seen += 1
    assert seen > 1000


# small_regions(), and all regions of inverted residuals.
def regions_of_all_kinds():
    yield from chain.from_iterable(map(small_regions, range(COUNT)))
    for number in range(3):
        model = InvertedResiduals(f"lower bound {number}", blocks=2).model
        yield from regions_of(model, range(1000))


# A BandLowerBound is a lower bound of bytes and cycles, and exceeds each smaller limit.
def test_lower_bounds_beside_schedules():
    seen, exact, recomputing = 0, 0, 0

    def cycles_of(node):
        return 7 * node.outputs[0].elements()

    for region in regions_of_all_kinds():
        options = [(*height, None) for height in region.band_heights(HEIGHTS)]
        options += [
            (*height, recomputed)
            for height, recomputed in product(
                region.band_heights((1, 2)), region.recompute_options()
            )
        ]
        for height, pacing, recomputed in options:
            bound = BandLowerBound(region, height, pacing, recomputed)
            plain = bound.schedule()
            assert plain.bands == bound.bands
            warm = None if recomputed else plain.with_warm_up_bands()
            for schedule in filter(None, (plain, warm)):
                seen, recomputing = seen + 1, recomputing + bool(recomputed)
                assert bound.min_cycles(cycles_of) <= schedule.cycles(cycles_of)
                size = bound.bytes_at_least(1 << 50, schedule is warm)
                assert 0 < bound.bytes_at_least(size - 1, schedule is warm) <= size
                peak = peak_bytes(schedule)
                assert size <= peak
                exact += size == peak
                if not recomputed:
                    assert size <= peak_bytes(schedule.with_spilled_rows())
    assert seen > 1500 and recomputing > 100 and exact > 0.6 * seen
