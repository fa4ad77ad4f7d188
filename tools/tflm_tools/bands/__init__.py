# tflm_tools: bands: run operators band by band, so that feature maps need only a few rows of RAM
# MIT license; Copyright (c) 2026 the tflm authors
