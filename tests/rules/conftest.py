# Excludes the files that the rules add to a copy of the repository from the tests
# MIT license; Copyright (c) 2026 the tflm authors

collect_ignore = ["new_operator"]
