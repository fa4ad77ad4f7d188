# Tests of `tflm flatten`
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.flatten import flatten


def test_file_and_sizes(tflm, layers, tmp_path):
    target = tmp_path / "made.tflm"
    target.write_bytes(b"an old one")
    found = tflm("flatten", layers, "-o", target, "--json")
    assert (found.code, found.err) == (0, "")
    flat = flatten(layers.read_bytes())
    assert target.read_bytes() == flat
    report = found.json()
    assert report["flat_bytes"] == len(flat)
    assert report["tflite_bytes"] == layers.stat().st_size
    assert report["tflm_head_bytes"] <= report["arena_bytes"] <= report["tflm_head_bytes"] + 1024
    assert sorted(p.name for p in tmp_path.iterdir()) == ["layers.tflite", "made.tflm"]
    assert "made.tflm" in tflm("flatten", layers, "-o", target).out


def test_keep_tensors(tflm, layers, tmp_path):
    target = tmp_path / "kept.tflm"
    assert tflm("flatten", layers, "-o", target, "--keep-tensors").code == 0
    assert target.read_bytes() == flatten(layers.read_bytes(), keep_tensors=True)


# A failure leaves the old file and nothing else.
def test_failures(tflm, layers, lacking, tmp_path):
    target = tmp_path / "made.tflm"
    target.write_bytes(b"an old one")
    before = sorted(p.name for p in tmp_path.iterdir())
    refused = tflm("flatten", lacking, "-o", target)
    assert refused.code == 1
    assert "Sparkle" in refused.err
    again = tflm("flatten", layers, "-o", tmp_path / "no folder" / "x.tflm")
    assert again.code == 1
    assert "cannot write" in again.err
    assert target.read_bytes() == b"an old one"
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert tflm("flatten", layers, "-o", tmp_path).code == 1  # a folder
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    flat = tmp_path / "flat.tflm"
    tflm("flatten", layers, "-o", flat)
    assert "already" in tflm("flatten", flat, "-o", target).err
