# tflm: How a Program runs beyond its plain loop: bands, control flow, delegates, asyncio, cores.
# MIT license; Copyright (c) 2026 the tflm authors
