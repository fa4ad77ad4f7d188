# Tests of SignalRfft and SignalIrfft against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.schema import DTYPES
from support.single_op import Tensor, single_op

cases = Cases()


# A model of SignalRfft: rows of `size` values, and `spare` values more than the spectrum.
def rfft(dtype, length, size, rows=(), spare=0):
    options = {"T": DTYPES[dtype][0], "fft_length": length}
    output = Tensor((*rows, length + 2 + spare), dtype)
    return single_op("SignalRfft", [Tensor((*rows, size), dtype)], [output], custom=options)


# A model of SignalIrfft.
def irfft(dtype, length, rows=(), spare=0):
    options = {"T": DTYPES[dtype][0], "fft_length": length}
    source = Tensor((*rows, length + 2 + spare), dtype)
    return single_op("SignalIrfft", [source], [Tensor((*rows, length), dtype)], custom=options)


TYPES = ("int16", "int32", "float32")
for dtype in TYPES:
    for length in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096):
        name = f"rfft {dtype} {length}"
        options = {"slices": (1, 3)}
        if length > 128:
            options = {"slices": (37,), "inputs": "random", "runs": 1, "repeat": "none"}
        if length > 256 and dtype != "int16" or length > 512:
            options["paths"] = ("flat",)
        cases.add(name, rfft(dtype, length, length), **options)
        cases.add(f"i{name}", irfft(dtype, length), **options)
    for length in (6, 10, 12, 20, 24, 30, 60, 90, 100, 150, 480):
        name = f"rfft {dtype} {length}"
        options = {"slices": (7,) if length > 24 else (1, 3)}
        cases.add(name, rfft(dtype, length, length, (2,)), **options)
        cases.add(f"i{name}", irfft(dtype, length, (2,)), **options)
    for length, size, rows in [(512, 480, ()), (32, 7, (3,)), (16, 16, (2, 1, 3)), (8, 1, ())]:
        name = f"rfft {dtype} {length} of {size} {rows}"
        cases.add(name, rfft(dtype, length, size, rows))
        cases.add(f"i{name}", irfft(dtype, length, rows))
    cases.add(f"irfft {dtype} spare", irfft(dtype, 16, (2,), spare=4))
    cases.add(f"rfft {dtype} no rows", rfft(dtype, 16, 16, (0,)), inputs=[[[]]], expected=[[[]]])
    for length, text in [
        (2, "fft_length 2"),
        (7, "fft_length 7"),
        (14, "factors other than"),
        (1 << 17, "fft_length 131072"),
    ]:
        cases.add(f"rfft {dtype} length {length}", rfft(dtype, length, 2), error=text)
    cases.add(f"rfft {dtype} longer", rfft(dtype, 8, 9), error="longer than")
    cases.add(f"rfft {dtype} spectrum", rfft(dtype, 8, 8, spare=-2), error="do not hold")
    cases.add(f"rfft {dtype} odd", rfft(dtype, 8, 8, spare=1), error="odd number")
    cases.add(f"irfft {dtype} odd", irfft(dtype, 8, spare=1), error="no pairs")
    cases.add(f"irfft {dtype} spectrum", irfft(dtype, 8, spare=-2), error="do not hold")


@cases.parametrize
def test_signal_fft(case):
    case.check()
