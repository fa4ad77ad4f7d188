# Generator of LSTM of float32 for Cortex-M0+: the portable kernel with fast products
# MIT license; Copyright (c) 2026 the tflm authors

from .float_combine import derived


# Replace a call of float32_dots.dots(), whose rows begin at `first`, by one of float32.dots().
def _call(target, depth):
    before = f"    dots(arena, rom, {target}, weights, source, {depth}, first, count)\n"
    after = f"    dots(arena, rom, {target}, source, weights, {depth}, count)\n"
    return before, f"    weights += first * {depth} << 4\n{after}"


DERIVED = derived(
    "unidirectional_sequence_lstm_float",
    "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
    dict(
        [
            ("from ..float32_dots import dots\n", ""),
            ("from .float32 import combine\n", "from .float32 import combine, dots\n"),
            _call("target", "r[_INPUT_SIZE]"),
            _call("row", "r[_STATE_SIZE]"),
        ]
    ),
)
