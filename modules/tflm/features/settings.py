# tflm.features: Settings: the checked parameters of an Edge Impulse block, and its shapes.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError
from .description import (
    DEFAULTS,
    FLAGS,
    LATEST,
    LATEST_OTHERS,
    RATES,
    VERSIONS,
    WINDOWS,
    collect,
    number_of,
    value_of,
)
from .setting_checks import MAX_SAMPLES, check

METADATA = "tflm.features"  # the metadata of a model with its block
_MAX_AXES = 64
_MAX_BLOCKS = 16  # of an impulse
_MIN_RATE = 1e-6  # Hz
WAVELET_FEATURES = 14  # of each level


# Return the whole number above `value` unless it is almost a whole number, as the reference does
# for frames.
def _ceil(value):
    whole = int(value)
    return whole if value - whole < 0.001 else whole + 1


# Return the object of a JSON that has the blocks.
def _impulse_of(description):
    blocks = description.get("impulse", description) if isinstance(description, dict) else None
    if not isinstance(blocks, dict):
        raise InputError("the JSON describes no block; pass an object with its parameters")
    return blocks


def read_settings(description, length=None, rate=None, axes=None, version=None):
    """Return Settings, or ImpulseSettings for an impulse with several blocks.

    Arguments and errors: as for Settings.
    """
    blocks = _impulse_of(description).get("dspBlocks")
    if not isinstance(blocks, list) or len(blocks) < 2:
        return Settings(description, length, rate, axes, version)
    return ImpulseSettings(description, length, rate, axes, version)


class ImpulseSettings:
    """The parameters of an impulse with several blocks, which read the same axes.

    Arguments and errors: as for Settings. type: "impulse". blocks: the Settings of each block.
    shape: (features of all blocks,). length, axes, rate: as for Settings.
    """

    type = "impulse"

    def __init__(self, description, length=None, rate=None, axes=None, version=None):
        impulse = _impulse_of(description)
        count = len(impulse["dspBlocks"])
        if count > _MAX_BLOCKS:
            raise InputError("%d blocks are too many; use at most %d" % (count, _MAX_BLOCKS))
        names = [
            block["axes"] for block in impulse["dspBlocks"]
            if isinstance(block, dict) and "axes" in block
        ]  # fmt: skip
        if any(each != names[0] for each in names):
            raise InputError(
                "the blocks of the impulse read different axes; give each block all axes"
            )
        self.blocks = [
            Settings(dict(impulse, dspBlocks=[block]), length, rate, axes, version)
            for block in impulse["dspBlocks"]
        ]
        first = self.blocks[0]
        self.length, self.axes, self.rate = first.length, first.axes, first.rate
        size = 0
        for block in self.blocks:
            rows, columns = block.shape
            size += rows * columns
        self.shape = (size,)

    def description(self):
        """Return a dict from which read_settings() makes an equal object."""
        return {"dspBlocks": [block.description() for block in self.blocks]}


class Settings:
    """The parameters of a block.

    description: the parsed JSON: a block's published parameters.json, the `config` of a project's
        block, an impulse with one block, or a flat object with names of parameters.
    length: samples of a window on each axis; None: windowSizeMs of the JSON.
    rate: samples per second; None: frequencyHz of the JSON.
    axes: number of axes; None: `axes` of the JSON, or 1.
    version: the block's implementation version; None: implementationVersion of the JSON, or the
        latest.

    type: "spectral-analysis", "mfe", "mfcc", "spectrogram" or "flatten". values: dict of the
    parameters, by names of the published JSON with _ for -. Raises InputError for a JSON that
    describes no block, or one that tflm does not compute.
    """

    def __init__(self, description, length=None, rate=None, axes=None, version=None):
        blocks = _impulse_of(description).get("dspBlocks")
        if isinstance(blocks, list) and len(blocks) != 1:
            raise InputError(
                "the impulse has %d processing blocks; pass the whole JSON to load()" % len(blocks)
            )
        found, types = {}, []
        collect(description, found, types)
        kinds = [kind for kind in types if kind]
        if not kinds:
            raise InputError(
                'the JSON has no type of block; add "type": one of %s'
                % ", ".join(sorted(DEFAULTS))
            )
        self.type = kinds[0]
        defaults = DEFAULTS[self.type]
        self.values = {
            name: value_of(name, found.get(name, defaults[name]), defaults[name])
            for name in defaults
        }
        self.axes = int(axes or number_of(found, ("axes",)) or 1)
        self.rate = rate or number_of(found, RATES)
        if not self.rate or self.rate < _MIN_RATE:
            raise InputError('the JSON has no sampling rate; add "frequencyHz", or pass rate=')
        if not 0 < self.axes <= _MAX_AXES:
            raise InputError("%d axes are not supported; use 1 to %d" % (self.axes, _MAX_AXES))
        milliseconds = number_of(found, WINDOWS)
        if length is None and milliseconds:
            length = int(milliseconds * self.rate / 1000 + 0.5)
        if not length or not 0 < length <= MAX_SAMPLES:
            raise InputError(
                'a window of %s samples is not supported; set "windowSizeMs" for 1 to %d samples, '
                "or pass length=" % (length, MAX_SAMPLES)
            )
        self.length = length
        latest = LATEST.get(self.type, LATEST_OTHERS)
        self.version = int(version or number_of(found, VERSIONS) or latest)
        if not 1 <= self.version <= latest or self.is_motion and self.version == 1 < latest:
            raise InputError(
                'version %d of the block %s is not supported; set "implementationVersion": %d'
                % (self.version, self.type, latest)
            )
        if self.type == "spectral-analysis" and not self.has_wavelets:
            for name in ("wavelet", "wavelet_level"):
                del self.values[name]
        check(self)

    def description(self):
        """Return a dict from which Settings() makes an equal object."""
        return dict(
            self.values,
            type=self.type,
            implementationVersion=self.version,
            frequencyHz=self.rate,
            windowSizeMs=1000 * self.length / self.rate,
            axes=self.axes,
        )

    @property
    def is_motion(self):
        """Whether the block has a row of features for each axis, not frames of one axis."""
        return self.type in ("spectral-analysis", "flatten")

    @property
    def has_wavelets(self):
        """Whether the block analyzes with wavelets, not with an FFT: from version 3 on."""
        return self.version >= 3 and self.values.get("analysis_type") == "Wavelet"

    @property
    def has_low_frequencies(self):
        """Whether the block has a second spectrum of the low frequencies."""
        return self.version >= 4 and self.values.get("extra_low_freq", False)

    @property
    def high_frequency(self):
        """Upper edge of the mel filters in Hz."""
        return self.values["high_frequency"] or self.rate / 2

    @property
    def frame_samples(self):
        """Samples of a frame."""
        length = self.rate * self.values["frame_length"]
        if self.version > 1:
            return _ceil(length)
        whole = int(length)
        rest = length - whole
        # Version 1 rounds to nearest, halves to even.
        return whole + int(rest > 0.5 or rest == 0.5 and whole & 1)

    @property
    def frame_step(self):
        """Samples from one frame to the next."""
        return _ceil(self.rate * self.values["frame_stride"])

    @property
    def frames(self):
        """Frames of a window."""
        rest = self.length - self.frame_samples
        return rest // self.frame_step + int(self.version > 1)

    @property
    def emphasis(self):
        """(coefficient, shift) of the pre-emphasis; the coefficient is 0 without."""
        if self.type == "mfcc":
            return self.values["pre_cof"], self.values["pre_shift"]
        return (0.98, 1) if self.type == "mfe" and self.version >= 3 else (0, 1)

    @property
    def bins(self):
        """(first, end) of the bins of a spectrum that are features of spectral analysis."""
        return self._bins(self.rate / self.values["input_decimation_ratio"])

    @property
    def low_bins(self):
        """The same for the spectrum of the low frequencies."""
        return self._bins(self.rate / self.values["input_decimation_ratio"] / 10)

    def _bins(self, rate):
        size = self.values["fft_length"]
        edge = min(self.values["filter_cutoff"], rate / 2) * size / rate
        first, end = 1, size // 2 + 1
        if self.values["filter_type"] == "high":
            first = max(int(edge - 0.5) + 1, 1)
        elif self.values["filter_type"] == "low":
            end = int(edge + 0.5) + 1
        if first >= end:
            raise InputError(
                "filter-cutoff %g Hz leaves no bin of the spectrum; change it, or fft-length"
                % self.values["filter_cutoff"]
            )
        return first, end

    @property
    def flags(self):
        """The statistics of a block Flatten, in the order of its features."""
        return [name for name in FLAGS if self.values.get(name)]

    @property
    def shape(self):
        """Shape of the features: (axes, features) or (frames, features)."""
        values = self.values
        if self.type == "flatten":
            return self.axes, len(self.flags)
        if self.has_wavelets:
            return self.axes, (values["wavelet_level"] + 1) * WAVELET_FEATURES
        if self.type == "spectral-analysis":
            count = 0
            for first, end in [self.bins] + ([self.low_bins] if self.has_low_frequencies else []):
                count += (5 if self.version >= 4 else 3) + end - first
            return self.axes, count
        columns = {"mfe": "num_filters", "mfcc": "num_cepstral"}.get(self.type)
        return self.frames, values[columns] if columns else values["fft_length"] // 2 + 1
