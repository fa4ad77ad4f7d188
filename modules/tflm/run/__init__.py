# tflm: what runs beside the plain loop: bands, control flow, delegates, tasks, cores
# MIT license; Copyright (c) 2026 the tflm authors
