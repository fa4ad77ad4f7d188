# tflm: events that let one core of a Cortex-M sleep while it waits for the other
# MIT license; Copyright (c) 2026 the tflm authors


# Sleep until an event or an interrupt. Return at once if one came since the last call.
@micropython.asm_thumb
def wait(r0):
    data(2, 0xBF20)  # wfe


# Wake the other core, which then sees everything that was stored before.
@micropython.asm_thumb
def send(r0):
    data(2, 0xF3BF, 0x8F4F)  # dsb
    data(2, 0xBF40)  # sev
