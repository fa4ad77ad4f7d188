# tflm: CONV_2D, int16, of pairs of pixels (_has_pairs() of prepare/conv_int16.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package cnn; check convolution_int16; units independent; order windows;
#   target armv7em

from .conv_int16 import pixels


# Units are output pixels of batches. The assembler for the DSP extension multiplies two at a time.
@micropython.viper
def eval_int16(op, arena, rom, start, stop):
    pixels(op, arena, rom, start, stop)
