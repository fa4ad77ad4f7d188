# Tests of the file of an update: forged, truncated and invalid ones, on the board and on the host
# MIT license; Copyright (c) 2026 the tflm authors

import io
import json
import struct

import pytest
from fleet import updates
from tflm.fleet import update as layout
from unit.on_device import device

# Read files that follow each other, each after its length; print the result of each.
_READ = """
    import io, json, struct
    from tflm.fleet.update import UpdateError, read_manifest

    with open(PATH, "rb") as file:
        while True:
            size = file.read(4)
            if not size:
                break
            data = io.BytesIO(file.read(struct.unpack("<I", size)[0]))
            try:
                found = read_manifest(data.read, KEY)
                print("version", found.version, found.name, found.bytes())
            except UpdateError as error:
                print(error)
"""


def on_host(data):
    try:
        found = layout.read_manifest(io.BytesIO(data).read, updates.PUBLIC)
    except layout.UpdateError as error:
        return str(error)
    return f"version {found.version} {found.name} {found.bytes()}"


def on_both(cases, folder):
    """Return the results of board and host, which must be equal."""
    path = folder / "cases"
    path.write_bytes(b"".join(struct.pack("<I", len(data)) + data for data in cases))
    said = device(_READ, PATH=str(path), KEY=updates.PUBLIC)
    assert said == [on_host(data) for data in cases]
    return said


@pytest.fixture(scope="module")
def packed():
    return updates.pack(7)


def test_forged(packed, tmp_path):
    end = updates.manifest_bytes(packed)
    whole = f"version 7 gestures {len(packed)}"
    assert on_host(packed) == whole
    changed = [packed[:i] + bytes([packed[i] ^ 1 << i % 8]) + packed[i + 1 :] for i in range(end)]
    cut = [packed[:i] for i in range(0, end, 7)]
    others = [
        updates.pack(7, key=updates.OTHER_KEY),
        packed[: end - 64] + bytes(64) + packed[end:],
        packed[: end - 64] + updates.pack(8)[end - 64 :],
    ]
    said = on_both([packed, *changed[::9], *cut, *others], tmp_path)
    assert said[0] == whole
    assert not [line for line in said[1:] if line.startswith("version")]
    assert "not signed by this key" in said[-3]
    assert not [i for i, data in enumerate(changed[::2]) if on_host(data).startswith("version")]


# Invalid manifests with a valid signature.
def test_signed_invalid_manifests(packed, tmp_path):
    end = updates.manifest_bytes(packed)
    good = json.loads(packed[layout.HEADER_BYTES : end - 64])

    def manifest_with(**changes):
        return json.dumps({**good, **changes}).encode()

    model = good["model"]
    names = ("", "../x", "a-b", "a.b", "x" * 33, 5, None, "é", ["a"])
    versions = (0, -1, 1 << 31, 1 << 70, "7", 7.5, None, [])
    counts = (0, -3, "1", 1e9)
    cases = [
        *[manifest_with(name=name) for name in names],
        *[manifest_with(version=version) for version in versions],
        *[manifest_with(model={**model, "bytes": size}) for size in (0, -1, 1 << 31, "9", None)],
        *[
            manifest_with(model={**model, "sha256": text})
            for text in ("", "0" * 63, "z" * 64, None, 0)
        ],
        *[manifest_with(vectors={**good["vectors"], "count": count}) for count in counts],
        *[manifest_with(model=[]), manifest_with(vectors=None)],
        *[b"", b"{", b"[]", b"null", b"\xff", b"[" * 2000],
    ]
    said = on_both([updates.sign_text(text) for text in cases], tmp_path)
    assert set(said) == {"the update's manifest is invalid; sign the model again"}
    said = on_both(
        [
            updates.sign_text(manifest_with(name="x" * 32), version=2),
            updates.sign_text(b" " * 2049),
            b"",
            b"TFLM" + packed[4:],
            updates.sign_text(manifest_with(extra="new")),
        ],
        tmp_path,
    )
    wanted = ("format 2", "2049 bytes", "no update", "no update", "version 7")
    assert all(words in line for line, words in zip(said, wanted, strict=True))
