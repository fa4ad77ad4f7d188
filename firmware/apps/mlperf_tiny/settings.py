# App mlperf_tiny: what a user may want to change. A copy of this file among the board's files
# goes before the one in the firmware: mpremote cp firmware/apps/mlperf_tiny/settings.py :
# MIT license; Copyright (c) 2026 the tflm authors

NAME = "tflm"  # the answer to name%

# What the runner calls the model; None tells it by the shape of its input.
MODEL = None

HZ = None  # of the core; None leaves it as it is, but for sww01 on an RP2040: 200 MHz
CORES = 1  # 2 where the board has a second core for Python: a Pico

# True: commands come by UART from the runner's interface board, and a pin marks the time.
ENERGY = False
UART = 1
BAUD_RATE = 9600
TX_PIN = 4
RX_PIN = 5
TIMESTAMP_PIN = 2

# sww01, on a Pico: sound from the interface board's I2S, and the pins that tell it of detections
# (falls for a moment) and of the time that a block of sound takes (high meanwhile).
SCK_PIN = 16
WS_PIN = 17
SD_PIN = 18
DETECTION_PIN = 3
PROCESSING_PIN = 6
