# tflm: events between the two cores of a Cortex-M: they sleep while they wait for each other
# MIT license; Copyright (c) 2026 the tflm authors


# Sleep until an event or an interrupt; at once when one came since the last time.
@micropython.asm_thumb
def wait(r0):
    data(2, 0xBF20)  # wfe


# Wake the other core; what was stored before is seen there first.
@micropython.asm_thumb
def send(r0):
    data(2, 0xF3BF, 0x8F4F)  # dsb
    data(2, 0xBF40)  # sev
