# Tests of the rules: what lies here as files of a copy of the repository is no test of this one
# MIT license; Copyright (c) 2026 the tflm authors

collect_ignore = ["new_operator"]
