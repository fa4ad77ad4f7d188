# What the tests share: model builder, oracle, device runner, comparison. See tests/README.md.
# MIT license; Copyright (c) 2026 the tflm authors
