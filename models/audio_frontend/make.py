# Writes audio_frontend_int8.tflite
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import front_end  # noqa: E402
from training import save  # noqa: E402


def main():
    """Write the model beside this file."""
    data = front_end.build()
    save.save(front_end.MODEL_FILE, data)
    print(f"{front_end.MODEL_FILE.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
