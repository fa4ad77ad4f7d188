# tflm: on ESP chips, appended to run/cores: refuses a second core
# MIT license; Copyright (c) 2026 the tflm authors

try:
    import esp32

    del esp32
except ImportError:
    pass
else:
    _OneCore = Cores

    # Threads of MicroPython share one core of an ESP chip.
    class Cores(_OneCore):
        """The delegate of Interpreter(model, cores=2), which prints why one core is used."""

        def arena_bytes(self, ops):
            return 0

        def prepare(self, context):
            from ..errors import UnsupportedError

            raise UnsupportedError("threads share one core of an ESP32; leave cores=2 out")
