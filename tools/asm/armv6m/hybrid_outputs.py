# Generator of the outputs of float32 operators with int8 weights, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R9, Thumb
from ..common.thumb_record import address, at, division
from .float_products import Products
from .float_record import clamp, limits

RECORD = """
`r0` is the address of the record (HYBRID in prepare/hybrid.py), `r1` of the arena, `r2` of the
model. `r3` is the first output * 1024 + the number of outputs.
"""
_FLOATS = "Converts int32 in the place of outputs to float32, rounded to nearest even." + RECORD
FINISH = (
    """
Converts int32 in the place of outputs of one batch to float32, multiplies them by the scales of
the weights and of the input, adds the bias and limits the results. Returns the number of outputs
that are done; the next one is not changed and has numbers that this function does not multiply.
"""
    + RECORD
)

_SLOTS = (
    "scale",  # address of the scale of the input
    "weight_scales",  # address of the first scale of the weights
    "weight_scale",  # address of the next one
    "weight_step",  # bytes from one to the next
    "biases",  # address of the first bias, 0 without
    "bias",  # address of the next one
    "output",  # address of the next output
    "count",
    "left",
    "channels",
    "channels_left",
    "stage",  # products of the output that are done
    "low",
    "high",
    "low_key",  # bits as integers in the order of the numbers
    "high_key",
)


# Convert the int32 in R2, which is not 0, to float32, rounded to nearest even. Uses R3 to R6.
def _to_float(t):
    rounded, up = t.new_label("rounded"), t.new_label("up")
    t.asr(R3, R2, 31)
    t.two("eor", R2, R3)
    t.sub(R2, R3)
    t.mov(R4, 157)
    for bits in (16, 8, 4, 2, 1):
        large = t.new_label("large")
        t.lsr(R5, R2, 32 - bits)
        t.branch("ne", large)
        t.lsl(R2, R2, bits)
        t.sub(R4, bits)
        t.label(large)
    t.lsl(R4, R4, 23)
    t.lsl(R5, R2, 24)  # the bits that are dropped
    t.lsr(R2, R2, 8)
    t.lsl(R6, R2, 31)
    t.lsr(R6, R6, 31)
    t.add(R4, R2)
    t.mov(R2, 1)
    t.lsl(R2, R2, 31)
    t.cmp(R5, R2)
    t.branch("cc", rounded)
    t.branch("ne", up)
    t.add(R4, R6)
    t.b(rounded)
    t.label(up)
    t.add(R4, 1)
    t.label(rounded)
    t.lsl(R3, R3, 31)
    t.add(R2, R4, R3)


# r0: next output; r1: the one after the last; r2: magnitude; r3: sign; r4: exponent less 1.
def floats():
    t = Thumb("floats", _FLOATS, 4)
    number, store, done = map(t.new_label, ("number", "store", "done"))
    t.ldr(R4, R0, at(HYBRID, "output"))
    address(t)
    t.lsr(R4, R3, 10)
    t.lsl(R4, R4, 2)
    t.add(R0, R4, R5)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 20)
    t.add(R1, R0, R3)
    t.label(number)
    t.cmp(R0, R1)
    t.branch("eq", done)
    t.ldr(R2, R0)
    t.cmp(R2, 0)
    t.branch("eq", store)
    _to_float(t)
    t.label(store)
    t.stm(R0, R2)
    t.b(number)
    t.label(done)
    return t.text()


# Begin with the output in the upper bits of R3. r0: record, r1: arena, r2: model. The scale of the
# input belongs to the batch.
def _begin(t, divide):
    no_bias = t.new_label("no_bias")
    for name, slot in (("scales", "scale"), ("weight_scales", "weight_scales"),
                       ("output", "output")):  # fmt: skip
        t.ldr(R4, R0, at(HYBRID, name))
        address(t)
        t.store(R5, slot)
    t.ldr(R4, R0, at(HYBRID, "bias"))
    t.mov(R5, 0)
    t.cmp(R4, 1)
    t.branch("eq", no_bias)
    address(t)
    t.label(no_bias)
    t.store(R5, "biases")
    t.mov(R7, R0)
    t.lsr(R0, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.store(R3, "count")
    t.store(R3, "left")
    t.lsl(R4, R0, 2)
    t.load(R5, "output")
    t.add(R4, R5)
    t.store(R4, "output")
    t.ldr(R1, R7, at(HYBRID, "output_channels"))
    t.store(R1, "channels")
    t.mov(R6, R1)
    t.bl(divide)
    t.sub(R6, R6, R0)
    t.store(R6, "channels_left")
    t.mov(R6, R0)  # the channel
    t.mov(R0, R2)
    t.ldr(R1, R7, at(HYBRID, "output_height"))
    t.ldr(R2, R7, at(HYBRID, "output_width"))
    t.mul(R1, R2)
    t.bl(divide)
    t.lsl(R2, R2, 2)
    t.load(R1, "scale")
    t.add(R1, R2)
    t.store(R1, "scale")
    t.mov(R0, R7)
    t.add(R0, at(HYBRID, "per_channel"))
    t.ldr(R1, R0)
    t.lsl(R1, R1, 2)
    t.store(R1, "weight_step")
    t.mul(R1, R6)
    t.load(R2, "weight_scales")
    t.add(R1, R2)
    t.store(R1, "weight_scale")
    t.lsl(R6, R6, 2)
    t.load(R1, "biases")
    t.add(R1, R6)
    t.store(R1, "bias")
    t.add(R0, at(HYBRID, "activation_min") - at(HYBRID, "per_channel"))
    limits(t)


# Multiply the float32 in R3 by the one at R1.
def _multiply(t, products):
    zero = t.new_label("zero_input")
    t.lsl(R4, R3, 1)
    t.branch("eq", zero)
    t.ldm(R1, R5)
    t.b(products.multiply)
    t.label(zero)
    t.b(products.zero)


# Store the output in R2, and go to the next one.
def _store(t, output, bail):
    same = t.new_label("same_pixel")
    t.load(R4, "output")
    t.stm(R4, R2)
    t.store(R4, "output")
    for name, step in (("weight_scale", "weight_step"), ("bias", None)):
        t.load(R4, name)
        if step:
            t.load(R5, step)
            t.add(R4, R5)
        else:
            t.add(R4, 4)
        t.store(R4, name)
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.branch("ne", same)
    t.load(R4, "weight_scales")
    t.store(R4, "weight_scale")
    t.load(R4, "biases")
    t.store(R4, "bias")
    t.load(R4, "channels")
    t.label(same)
    t.store(R4, "channels_left")
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch("eq", bail)
    t.b(output)


def finish():
    t = Thumb("finish", FINISH, 4, _SLOTS)
    names = "divide", "output", "integer", "run_end", "add_bias", "scaled", "bail"
    divide, output, integer, run_end, add_bias, scaled, bail = map(t.new_label, names)
    products = Products(
        t, _no_input, lambda t: t.ldm(R1, R5), _reload_weight, checked=False, run_end=run_end,
        bail=bail,
    )  # fmt: skip
    _begin(t, divide)
    products.begin_function()
    t.mov(R0, 0)
    t.mov(R9, R0)  # each product is the last one
    t.label(output)
    t.mov(R4, 0)
    t.store(R4, "stage")
    t.load(R4, "output")
    t.ldr(R2, R4)
    t.cmp(R2, 0)
    t.branch("eq", integer)
    _to_float(t)
    t.label(integer)
    t.mov(R3, R2)
    products.begin_sum()
    t.load(R1, "weight_scale")
    _multiply(t, products)
    products.loop()
    t.label(run_end)
    t.load(R7, "stage")
    t.add(R7, 1)
    t.store(R7, "stage")
    t.cmp(R7, 2)
    t.branch("eq", add_bias)
    t.branch("gt", scaled)
    products.result()
    t.mov(R3, R2)
    products.begin_sum()
    t.load(R1, "scale")
    _multiply(t, products)
    t.label(add_bias)
    t.load(R1, "biases")
    t.cmp(R1, 0)
    t.branch("eq", scaled)
    t.load(R1, "bias")
    t.ldm(R1, R5)
    t.mov(R3, 127)
    t.lsl(R3, R3, 23)
    t.lsl(R4, R3, 1)
    t.b(products.multiply)
    t.label(scaled)
    products.result()
    clamp(t)
    _store(t, output, bail)
    division(t, divide)
    t.label(bail)
    t.load(R0, "count")
    t.load(R1, "left")
    t.sub(R0, R1)
    return t.text(returns=True)


# The loop of Products never reaches its second product.
def _no_input(t):
    t.mov(R3, 0)


def _reload_weight(t):
    t.sub(R5, R1, 4)
    t.ldr(R5, R5)
