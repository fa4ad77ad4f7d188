# asm: encoders: classes whose methods add instructions of a machine to the text of a function
# MIT license; Copyright (c) 2026 the tflm authors
