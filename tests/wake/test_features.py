# Tests of microWakeWord's front end: its values equal TensorFlow's microfrontend
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.inputs import generator
from unit.on_device import device, model_files

RATE = 16000
SECONDS = 30  # of generated sound; `make -C tests hour` uses an hour


# Return seconds of varied sound: gliding tones in noise of all levels, silence, the smallest and
# the largest steps, clipped sound, clicks, and random samples.
def sound(seconds, seed="sound"):
    random = generator(seed)
    seconds_of_sound = []
    for second in range(seconds):
        t = np.arange(RATE) / RATE
        loudness = 10 ** random.uniform(0, 4.5)
        pitch = random.uniform(50, 7000)
        tone = loudness * np.sin(2 * np.pi * pitch * t * (1 + t * random.uniform(-1, 1)))
        signal = tone * (np.sin(9 * t) > 0) + random.normal(0, 10 ** random.uniform(0, 3), RATE)
        kind = second % 8
        if kind == 1:
            signal = np.zeros(RATE)
        elif kind == 2:
            signal = random.integers(-1, 2, RATE).astype(float)
        elif kind == 3:
            signal = 32767 * np.sign(tone + 0.5)
        elif kind == 4:
            signal = random.integers(-32768, 32768, RATE).astype(float)
        elif kind == 5:
            signal[::777] = -32768
        elif kind == 6:
            signal = signal * 10
        seconds_of_sound.append(signal)
    return np.clip(np.round(np.concatenate(seconds_of_sound)), -32768, 32767).astype("<i2")


# Return the features of microfrontend, a row for each 10 ms.
def expected(samples):
    microfrontend = pytest.importorskip("pymicro_features")
    front_end = microfrontend.MicroFrontend()
    data = samples.tobytes()
    rows = []
    for at in range(0, len(data), 320):
        features = front_end.process_samples(data[at : at + 320]).features
        if features:
            rows.append(np.round(np.array(features) / 0.0390625))
    return np.array(rows).astype(int)


RUN = """
    interp = tflm.Interpreter(tflm.load(MODEL))
    audio, features = interp.input(0).raw, interp.output(0).raw
    frame = bytearray(960)
    samples = bytearray(320)
    with open(SOUND, "rb") as source, open(FOUND, "wb") as found:
        hop = 0
        while source.readinto(samples) == 320:
            frame[:640] = frame[320:]
            frame[640:] = samples
            hop += 1
            if hop < 3:
                continue
            audio[:] = frame
            micropython.heap_lock()
            interp.invoke()
            micropython.heap_unlock()
            found.write(features)
"""


@pytest.mark.parametrize("file_format", ["FLAT", "TFLITE"])
def test_equals_microfrontend(repository, tmp_path, file_format):
    model = repository / "tools/tflm_tools/wake/micro_frontend_int16.tflite"
    samples = sound(SECONDS)
    files = model_files(tmp_path, model.read_bytes())
    (tmp_path / "sound.raw").write_bytes(samples.tobytes())
    found = tmp_path / "features.raw"
    device(RUN, MODEL=files[file_format], SOUND=str(tmp_path / "sound.raw"), FOUND=str(found))
    rows = np.frombuffer(found.read_bytes(), "<i2").reshape(-1, 40)
    wanted = expected(samples)
    assert len(rows) == len(samples) // 160 - 2
    np.testing.assert_array_equal(rows, wanted)
    assert wanted.max() > 600 and (wanted == 0).any()
