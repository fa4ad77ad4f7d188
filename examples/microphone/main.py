# Example: detect yes, no and stop with a microphone
# MIT license; Copyright (c) 2026 the tflm authors

# Wiring, I2S microphone (INMP441) at a Pico: VDD to 3V3 (pin 36), GND and L/R to GND, SCK to GPIO
# 16 (pin 21), WS to GPIO 17 (pin 22), SD to GPIO 18 (pin 24).
# Install the packages cnn and signal with mip (examples/README.md), then:
#
#     tflm flatten models/audio_frontend/audio_frontend_int8.tflite --target armv6m \
#         -o frontend.tflm
#     tflm flatten models/keywords/keywords_int8.tflite --target armv6m -o model.tflm
#     mpremote cp frontend.tflm model.tflm firmware/apps/keywords/listener.py :
#     mpremote cp firmware/apps/keywords/recognizer.py examples/microphone/main.py :

from listener import HOP_BYTES, Listener
from tflm.microphone import i2s

listener = Listener(".")
sound = bytearray(HOP_BYTES)  # 20 ms
microphone = i2s.Microphone(sck=16, ws=17, sd=18)
while True:
    microphone.readinto(sound)
    word = listener.hear(sound)
    if word >= 0:
        print(listener.labels[word])
