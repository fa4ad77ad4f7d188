# Frozen into an ESP32-C3: the port's own modules, and tflm with the kernels that it can run
# MIT license; Copyright (c) 2026 the tflm authors

options.defaults(kernels="", prepare=True, checks=True, app="")
include("$(PORT_DIR)/boards/manifest.py")
include(
    "../../modules/manifest.py",
    arch="rv32imc",
    kernels=options.kernels,
    prepare=options.prepare,
    checks=options.checks,
    app=options.app,
)
