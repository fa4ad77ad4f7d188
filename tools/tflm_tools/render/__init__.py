# tflm_tools: render: everything that is printed; data comes from the modules beside
# MIT license; Copyright (c) 2026 the tflm authors
