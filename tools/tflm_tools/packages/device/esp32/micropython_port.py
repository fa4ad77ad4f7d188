# tflm: on ESP chips, appended to micropython_port: says when executable memory is used up
# MIT license; Copyright (c) 2026 the tflm authors

# Chips that store machine code outside of the heap.
_SEPARATE = ("ESP32", "ESP32S2", "ESP32S3", "ESP32C3")

if getattr(sys.implementation, "_machine", "").split(" ")[-1].replace("-", "") in _SEPARATE:
    import esp32

    _MIN_CODE_BLOCK = 5120  # bytes; the largest function of a kernel has 4.2 KB

    # Return the end of a MemoryError's message: "" unless executable memory is the reason. Only a
    # soft reset frees executable memory.
    def more_heap():
        free = max([0] + [region[2] for region in esp32.idf_heap_info(esp32.HEAP_EXEC)])
        if free >= _MIN_CODE_BLOCK:
            return ""
        return (
            "; the memory for machine code is used up (largest free block: "
            + str(free)
            + (" bytes): soft reset, or load models with fewer kinds of operators")
        )
