# tflm_tools: inspection: describes the contents, costs and arena plan of a model
# MIT license; Copyright (c) 2026 the tflm authors
