# App mlperf_tiny: settings for the user
# MIT license; Copyright (c) 2026 the tflm authors

# A copy of this file on the board replaces the file in the firmware:
# mpremote cp firmware/apps/mlperf_tiny/settings.py :

NAME = "tflm"  # the answer to name%

# The benchmark's name of the model; None: found by the shape of its input.
MODEL = None

HZ = None  # clock of the core; None: unchanged, except for sww01 on an RP2040, 200 MHz
CORES = 1  # 2 for a board with a second core, like a Pico

# True: commands are received by UART from the runner's interface board, and a pin marks the time.
ENERGY = False
UART = 1
BAUD_RATE = 9600
TX_PIN = 4
RX_PIN = 5
TIMESTAMP_PIN = 2

# For sww01 on a Pico: pins for the sound from the interface board's I2S, and for signals to it.
# The detection pin is low for a moment at a detection; the processing pin is high while a block of
# sound is processed.
SCK_PIN = 16
WS_PIN = 17
SD_PIN = 18
DETECTION_PIN = 3
PROCESSING_PIN = 6
