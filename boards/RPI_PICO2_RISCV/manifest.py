# Frozen into a Raspberry Pi Pico 2 on its RISC-V cores: the port's own modules, and tflm
# MIT license; Copyright (c) 2026 the tflm authors

options.defaults(kernels="", prepare=True, checks=True, app="")
# The modules of the port, without the drivers onewire, ds18x20, dht and neopixel.
freeze("$(PORT_DIR)/modules")
include("$(MPY_DIR)/extmod/asyncio")
include(
    "../../modules/manifest.py",
    arch="rv32imc",
    kernels=options.kernels,
    prepare=options.prepare,
    checks=options.checks,
    app=options.app,
)
