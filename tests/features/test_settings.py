# Tests of the JSON that tflm.features reads, and of its errors
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm.errors import InputError
from tflm.features.settings import DEFAULTS, Settings, read_settings
from unit.on_device import device


# The form of a block's published parameters.json and of a project's configuration.
def _published(cpp_type, **values):
    items = [{"name": "x", "type": "float", "value": v, "param": k} for k, v in values.items()]
    return {
        "info": {"title": "Audio (X)", "cppType": cpp_type, "latestImplementationVersion": 4},
        "parameters": [{"group": "Features", "items": items}],
        "frequencyHz": 16000,
        "windowSizeMs": 1000,
    }


# The form of an impulse of a project.
def _impulse(*blocks):
    return {
        "inputBlocks": [{"type": "time-series", "windowSizeMs": 2000, "frequencyHz": 62.5}],
        "dspBlocks": [{"axes": ["accX", "accY", "accZ"], **block} for block in blocks],
        "learnBlocks": [{"type": "keras", "dsp": [1]}],
    }


def test_forms():
    settings = Settings(_published("mfcc_custom", num_cepstral="20", frame_length=0.025))
    assert (settings.type, settings.version, settings.shape) == ("mfcc", 4, (49, 20))
    assert settings.frame_samples == 400
    block = {"type": "spectral-analysis", "implementationVersion": 3, "fft-length": 64}
    for description in (_impulse(block), {"impulse": _impulse(block)}):
        settings = Settings(description)
        assert (settings.type, settings.version, settings.axes) == ("spectral-analysis", 3, 3)
        assert (settings.length, settings.rate, settings.shape) == (125, 62.5, (3, 35))
    flat = {"type": "MFE", "sampling_freq": 8000, "length": 1}
    assert Settings(flat, length=4000, version=3).shape[1] == DEFAULTS["mfe"]["num_filters"]
    assert Settings({**flat, "num_filters": 20}, 4000, 16000, version=3).rate == 16000


# Version 2 has no wavelets and computes an FFT; a block with an FFT stores no wavelet.
def test_wavelets():
    description = {**_SPECTRAL, **_WAVELET, "wavelet": "sym4", "wavelet-level": "1"}
    settings = Settings(description, axes=3)
    assert settings.shape == (3, 28)
    again = read_settings(settings.description())
    assert vars(again) == vars(settings)
    settings = Settings(description, version=2)
    assert settings.shape == (1, 11) and "wavelet" not in settings.description()


# Several blocks read the same window; their features follow each other.
def test_several_blocks():
    blocks = {"type": "spectral-analysis", "fft-length": 64}, {"type": "flatten"}
    for description in (_impulse(*blocks), {"impulse": _impulse(*blocks)}):
        settings = read_settings(description)
        assert [each.type for each in settings.blocks] == ["spectral-analysis", "flatten"]
        assert (settings.length, settings.rate, settings.axes) == (125, 62.5, 3)
        assert settings.shape == (3 * (5 + 32) + 3 * 7,)
        again = read_settings(settings.description())
        assert [vars(each) for each in again.blocks] == [vars(each) for each in settings.blocks]
    with pytest.raises(InputError, match="read different axes; give each block all axes"):
        read_settings(_impulse(blocks[0], {**blocks[1], "axes": ["accX"]}))
    with pytest.raises(InputError, match="17 blocks are too many; use at most 16"):
        read_settings(_impulse(*blocks[:1] * 17))


def test_names_of_blocks():
    names = {
        "Spectral features": "spectral-analysis",
        "spectral_analysis": "spectral-analysis",
        "spectrogram_custom": "spectrogram",
        "flatten_custom": "flatten",
        "mfe_custom": "mfe",
    }
    for name, block in names.items():
        assert Settings({"type": name, "frequency": 16000}, length=16000).type == block


_MFCC = {"type": "mfcc", "frequencyHz": 16000, "windowSizeMs": 1000}
_WAVELET = {"analysis-type": "Wavelet"}
_SPECTRAL = {"type": "spectral-analysis", "frequencyHz": 100, "windowSizeMs": 1000}


@pytest.mark.parametrize(
    "description, text",
    [
        ([], "describes no block; pass an object"),
        ({"a": 1}, 'no type of block; add "type": one of flatten, mfcc, mfe'),
        (_impulse({"type": "mfe"}, {"type": "mfcc"}), "2 processing blocks; pass the whole JSON"),
        ({"type": "mfcc", "windowSizeMs": 1000}, 'no sampling rate; add "frequencyHz"'),
        ({"type": "mfcc", "frequencyHz": 16000}, 'set "windowSizeMs"'),
        ({**_MFCC, "windowSizeMs": 9000}, "144000 samples is not supported"),
        ({**_MFCC, "implementationVersion": 5}, 'set "implementationVersion": 4'),
        ({**_SPECTRAL, "implementationVersion": 1}, 'set "implementationVersion": 4'),
        ({**_MFCC, "fft_length": 300}, "fft_length is 300; choose a power of two"),
        ({**_MFCC, "fft_length": "many"}, "fft_length is 'many'; correct the JSON"),
        ({**_MFCC, "axes": ["x", "y"]}, "one axis, not 2; make a block for each"),
        ({**_MFCC, "windowSizeMs": 10}, "has 0 frames; change its length"),
        ({**_MFCC, "frame_stride": 0.001}, "frames; change its length"),
        ({**_MFCC, "frame_stride": 0}, "must be positive"),
        ({**_MFCC, "high_frequency": 9000}, "below 8000 Hz"),
        ({**_MFCC, "win_size": 10}, "choose 0 or an odd number"),
        ({**_MFCC, "num_cepstral": 40}, "choose 1 to num_filters, 32"),
        ({**_MFCC, "pre_shift": 0}, "pre_shift must be positive"),
        ({**_SPECTRAL, "analysis-type": "DCT"}, "is DCT; choose FFT or Wavelet"),
        ({**_SPECTRAL, **_WAVELET, "wavelet": "db1"}, "wavelet is db1; choose haar, db2"),
        ({**_SPECTRAL, **_WAVELET, "wavelet": "rbio7.7"}, "wavelet is rbio7.7; choose haar"),
        ({**_SPECTRAL, **_WAVELET, "wavelet-level": 2}, "has 100 samples; choose a level from"),
        ({**_SPECTRAL, "filter-type": "band"}, "choose none, low or high"),
        ({**_SPECTRAL, "filter-type": "low", "filter-order": 5}, "choose 0, 2, 4, 6 or 8"),
        ({**_SPECTRAL, "filter-type": "low", "filter-cutoff": 60}, "choose one below 50 Hz"),
        ({**_SPECTRAL, "filter-type": "low", "filter-cutoff": 1}, "leaves no bin"),
        ({**_SPECTRAL, "input-decimation-ratio": 7}, "choose 1, 3, 10"),
        ({**_SPECTRAL, "extra-low-freq": True, "fft-length": 64}, "needs 320 samples"),
        ({**_SPECTRAL, "do-log": "maybe"}, "do_log is 'maybe'; correct the JSON"),
        ({**_MFCC, "frequencyHz": 1e999}, "frequency_hz is inf; correct the JSON"),
        ({**_MFCC, "frequencyHz": float("nan")}, "frequency_hz is nan; correct the JSON"),
        ({**_MFCC, "frequencyHz": 1e-300}, 'no sampling rate; add "frequencyHz"'),
        ({**_MFCC, "windowSizeMs": 10**400}, "window_size_ms is 1000+; correct"),
        ({**_MFCC, "fft_length": 1e999}, "fft_length is inf; correct the JSON"),
        ({**_MFCC, "fft_length": "x" * 5000}, "fft_length is 'x{39}; correct the JSON"),
        ({**_MFCC, "frame_length": 1e30}, "frame_length is 1e.30; correct the JSON"),
        ({**_SPECTRAL, "axes": -1}, "-1 axes are not supported; use 1 to 64"),
        ({**_SPECTRAL, "axes": 65}, "65 axes are not supported; use 1 to 64"),
        ({**_SPECTRAL, "filter-type": "x" * 5000}, "filter-type is x{40}; choose none, low or"),
        ({"items": [{"param": ["type"], "value": 1}]}, "no type of block"),
    ],
)
def test_invalid_json(description, text):
    with pytest.raises(InputError, match=text):
        print(Settings(description).shape)


# Parameters that are nested too deep are ignored.
def test_depth():
    deep = [[]]
    for _ in range(5000):
        deep = [deep]
    assert vars(Settings({**_MFCC, "x": deep})) == vars(Settings(_MFCC))


def test_errors_on_the_device(tmp_path):
    (tmp_path / "cut.json").write_text('{"type": "mfcc", ')
    lines = device(
        """
        from array import array
        from tflm import dtypes, features
        from tflm.tensor import Tensor

        print(raises(InputError, features.load, CUT))
        raises(OSError, features.load, "missing.json")
        print(raises(InputError, features.load, dict(MFCC, num_filters=100)))
        block = features.load(MFCC)
        x, y = array("h", range(16000)), array("f", bytes(4 * block.size))
        print(raises(InputError, block.compute, x[:100], y))
        print(raises(InputError, block.compute, list(x), y))
        print(raises(InputError, block.compute, array("i", x), y))
        print(raises(InputError, block.compute, x, y[:8]))
        print(raises(InputError, block.compute, x, x[: block.size]))
        for dtype, count in ((dtypes.INT8, 10), (dtypes.INT32, block.size)):
            raw = memoryview(bytearray(4 * count if dtype == dtypes.INT32 else count))
            print(raises(InputError, block.compute, x, Tensor("x", dtype, (count,), 0, 0, raw)))
        """,
        CUT=str(tmp_path / "cut.json"),
        MFCC=_MFCC,
    )
    expected = [
        "is no JSON; export the block's parameters again",
        "has no bin; use at most 32 filters",
        "got 100; pass an array of 16000 numbers",
        "got list; pass an array of 16000 numbers",
        "samples have 4 bytes; pass array('h') or array('f')",
        "are 650 float32 numbers; pass array('f') of this length",
        "are 650 float32 numbers",
        "has 10 elements, the features are 650",
        "features need float32, or int8",
    ]
    for line, text in zip(lines, expected, strict=True):
        assert text in line
