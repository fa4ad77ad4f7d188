# tflm_tools: needs: what models need of tflm, for builds with nothing else
# MIT license; Copyright (c) 2026 the tflm authors
