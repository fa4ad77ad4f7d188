# tflm_tools: board: what MicroPython's native code requires on each ESP chip
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import DeviceError

# The oldest MicroPython with native code that works on a chip, if newer than for other chips:
# before, an ESP32-S2 took executable memory from RAM that cannot execute, and an ESP32-P4 did not
# write its data cache back.
OLDEST = {"ESP32S2": (1, 24, 1), "ESP32P4": (1, 28, 0)}

# MicroPython copies machine code to executable memory on these chips (MP_PLAT_COMMIT_EXEC); on all
# others it stays in the heap.
SEPARATE_CODE_MEMORY = ("ESP32", "ESP32S2", "ESP32S3", "ESP32C3")

_FASTER = ("ESP32", "ESP32S2", "ESP32S3")
_FASTEST_HZ = 240_000_000
_MIN_PSRAM = 1 << 20  # bytes of heap that only a board with PSRAM has
# Revisions of the ESP32 with the erratum CPU-3.9, around which MicroPython's native code is not
# compiled.
_LAST_FAULTY_REVISION = 1


def check_chip(facts):
    """Raise DeviceError if tflm cannot run on the chip of a board's Facts."""
    if facts.chip == "ESP32C2":
        raise DeviceError(
            f"the board at {facts.port} has an ESP32-C2, on which MicroPython's native code "
            "crashes; use another chip, like an ESP32-C3",
            "chip",
        )
    if facts.chip == "ESP8266":
        raise DeviceError(
            f"the board at {facts.port} has an ESP8266, whose memory is too small for tflm; use "
            "another chip, like an ESP32",
            "chip",
        )


def has_psram(facts):
    """Return whether an ESP board has PSRAM. MicroPython's heap is then in PSRAM as a whole."""
    return facts.regions is not None and facts.whole_heap >= _MIN_PSRAM


def revision_warning(facts):
    """Return (what is found, what to do) if the chip's revision can store wrong bytes, or None."""
    if facts.revision is None or facts.revision > _LAST_FAULTY_REVISION or not has_psram(facts):
        return None
    return (
        f"ESP32 revision {facts.revision} with PSRAM: native code can store wrong bytes (erratum "
        "CPU-3.9)",
        "use a board of revision 3, or firmware without SPIRAM",
    )


def faster_clock(facts):
    """Return how to run a board at its fastest clock, None if it does or if that is not known."""
    if facts.chip not in _FASTER or not 0 < facts.frequency < _FASTEST_HZ:
        return None
    factor = _FASTEST_HZ / facts.frequency
    return f"machine.freq(240_000_000) is {factor:.1f} times as fast"
