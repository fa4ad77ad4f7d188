# tflm_tools: detection: decodes the outputs of detectors on the host, draws and scores boxes
# MIT license; Copyright (c) 2026 the tflm authors
