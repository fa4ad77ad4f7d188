# tflm_tools: board: reads which boards `tflm measure` has measured, for `tflm boards`
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

from . import profiles

FORMAT = 1
_FOLDER = Path(__file__).resolve().parents[3] / "docs" / "data" / "measured"
_EMULATED_SHARE = 0.05  # a board whose seconds differ more from the computer's is emulated


def is_emulated(seconds_per_second):
    """Whether a board is an emulator: its seconds are longer or shorter than the computer's."""
    return abs(seconds_per_second - 1) > _EMULATED_SHARE


def measured_boards(folder=_FOLDER):
    """Return the ids of the boards with a file of `tflm measure` in docs/data/measured/.

    Files of emulated boards do not count. Without a checkout of the repository no board counts.
    """
    found = set()
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text())
        if data["format"] == FORMAT and not is_emulated(data["seconds_per_second"]):
            found.update(profile.id for profile in profiles.matching(data["board"]["machine"]))
    return found
