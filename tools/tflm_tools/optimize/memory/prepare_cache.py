# tflm_tools: caches what Prepare computes from weights, because the search prepares nodes often
# MIT license; Copyright (c) 2026 the tflm authors

from functools import lru_cache, wraps

from tflm.prepare import (
    conv_dsp,
    conv_lanes,
    convolution,
    depthwise_dsp,
    depthwise_lanes,
    dsp,
    lanes,
    scale,
)
from tflm.prepare.common import REQUANTIZE

_MAX_SCALARS = 1 << 14  # results of each function of numbers
_MAX_PACKED = 128  # layers whose packed weights are cached
_MAX_MULTIPLIERS = 512  # layers whose multipliers are cached
_FIELDS = ("input_offset", *REQUANTIZE)


# Remove the oldest entries of a cache that has `size` entries or more.
def _evict(cache, size):
    while len(cache) >= size:
        del cache[next(iter(cache))]


# Return channel_multipliers() of convolution.py with a cache. The key is all that the function
# reads; exceptions are not cached. Entries keep the vector of scales alive, so that its id is
# unique.
def _cached_multipliers(multipliers):
    cache = {}

    @wraps(multipliers)
    def cached(node, source, weights, target, channels):
        scales, _, axis = weights.quantization()
        ends = source.scale_bits(), target.scale_bits()
        key = id(scales), axis, weights.shape, *ends, channels
        if key not in cache:
            found = multipliers(node, source, weights, target, channels)
            _evict(cache, _MAX_MULTIPLIERS)
            cache[key] = scales, found
        return cache[key][1]

    return cached


# Return the part of a key that all functions that pack weights read.
def _layer_key(node, fields, table):
    weights, bias = node.input(1), node.optional_input(2)
    return (
        bytes(weights.data), weights.shape, bytes(bias.data) if bias else None,
        node.input(0).zero_point(), tuple(fields.get(name) for name in _FIELDS), bytes(table),
    )  # fmt: skip


# Return the key of _packed() of conv_dsp and depthwise_dsp.
def _halfwords_key(node, fields, table, *how):
    return (*how, _layer_key(node, fields, table))


# Return the key of _packed() of conv_lanes.
def _lanes_key(context, node, fields, table, shape, geometry, packing):
    window = tuple(geometry[name] for name in ("run", "window_columns", "column_lanes"))
    return context.target_packing, packing, shape, window, _layer_key(node, fields, table)


# Return the key of _packed() of depthwise_lanes.
def _planes_key(context, node, fields, table, layout):
    is_bytes = context.packing.get(node.index) == lanes.BYTES
    has_odd = bool(depthwise_lanes.has_odd_windows(node, fields))
    return context.target_packing, is_bytes, layout, has_odd, _layer_key(node, fields, table)


# Return a function that packs weights with a cache; key_of() makes a key of its arguments.
def _cached_packing(packed, key_of):
    cache = {}

    @wraps(packed)
    def cached(*arguments):
        key = key_of(*arguments)
        if key not in cache:
            _evict(cache, _MAX_PACKED)
            cache[key] = packed(*arguments)
        return cache[key]

    return cached


def cache_prepare():
    """Let Prepare on this computer cache its results; boards prepare each node once.

    Calls after the first one have no effect.
    """
    if hasattr(scale.divide, "cache_info"):
        return
    dsp.fold = lru_cache(_MAX_SCALARS)(dsp.fold)
    for name in ("multiply", "divide", "quantize_multiplier"):
        setattr(scale, name, lru_cache(_MAX_SCALARS)(getattr(scale, name)))
    convolution.channel_multipliers = _cached_multipliers(convolution.channel_multipliers)
    for module, key_of in (
        (conv_dsp, _halfwords_key),
        (depthwise_dsp, _halfwords_key),
        (conv_lanes, _lanes_key),
        (depthwise_lanes, _planes_key),
    ):
        module._packed = _cached_packing(module._packed, key_of)
