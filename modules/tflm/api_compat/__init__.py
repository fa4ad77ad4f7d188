# tflm: facade: what the APIs of others (tflm.litert, tflm.ml) stand on
# MIT license; Copyright (c) 2026 the tflm authors
