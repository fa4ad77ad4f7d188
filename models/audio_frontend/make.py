# Write audio_frontend_int8.tflite and micro_frontend_int16.tflite
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import front_end  # noqa: E402
from training import save  # noqa: E402


def main():
    """Write the models."""
    for file, build in (
        (front_end.MODEL_FILE, front_end.build),
        (front_end.MICRO_FRONTEND_FILE, front_end.build_micro_frontend),
    ):
        data = build()
        save.save(file, data)
        print(f"{file.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
