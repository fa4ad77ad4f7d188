# Frozen into the emulated RV32: tflm with the kernels that it can run, and its boot script
# MIT license; Copyright (c) 2026 the tflm authors

options.defaults(kernels="", prepare=True, checks=True, app="")
freeze("../common")
include(
    "../../modules/manifest.py",
    arch="rv32imc",
    kernels=options.kernels,
    prepare=options.prepare,
    checks=options.checks,
    app=options.app,
)
