# Tests of `tflm flatten --explain`
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
import tflm_tools as tt
from optimize.known_networks import mobilenet_v2, unet
from optimize.network import Network
from optimize.squeeze_excite import mobilenet_block
from tflm_tools.flat.explanation import INPUT, KEPT, OUTPUT, SCRATCH
from tflm_tools.optimize.memory.levels import MAX_ABOVE_TFLM

# The label of each line that a plan may have.
_LABELS = ("limit", "its buffers", "bands", "twice", "ram", "balanced", "speed", "decided by")


def _saved(tmp_path, data):
    path = tmp_path / "net.tflite"
    path.write_bytes(data)
    return path


# An explanation changes neither the file nor the other lines that are printed.
def test_command(tflm, repository, tmp_path):
    source = repository / "models" / "digits" / "digits_int8.tflite"
    target = tmp_path / "net.tflm"
    words = "flatten", source, "-o", target, "--target", "armv6m"
    usual, flat = tflm(*words), target.read_bytes()
    explained = tflm(*words, "--explain")
    assert (explained.code, explained.err) == (0, "") and target.read_bytes() == flat
    before, title, rest = explained.out.partition("why this memory plan\n")
    lines, end, after = rest.partition("\n\n")
    assert title and end and before + after == usual.out
    lines = [line for line in lines.splitlines() if not line.startswith(" ")]
    assert 5 <= len(lines) <= 12 and lines[-1].startswith("decided by   balanced: ")
    assert all(line.startswith(_LABELS) for line in lines)

    report = tflm(*words, "--explain", "--json").json()
    explanation = report["explanation"]
    assert tflm(*words, "--json").json() == {**report, "explanation": None}
    assert explanation["peak"]["head_bytes"] == report["arena_bytes"]
    levels = {level["level"]: level for level in report["levels"]}
    assert [each["level"] for each in explanation["alternatives"]] == ["ram", "speed"]
    for other in explanation["alternatives"]:
        level, chosen = levels[other["level"]], levels["balanced"]
        assert other["more_bytes"] == level["arena_bytes"] - chosen["arena_bytes"]
        assert other["more_cycles"] == level["cycles"] - chosen["cycles"]


# The peak lists the buffers that are in use.
def test_peak(tmp_path):
    net = Network("peak", (12, 12, 2))
    wide = net.conv(net.inputs[0], 16, 3)
    wider = net.conv(wide, 24, 3)
    joined = net.concatenation([net.conv(wider, 8, 1), wide], 3)
    source = _saved(tmp_path, net.build(joined))
    peak = tt.flatten(source, optimize="off", explain=True).explanation.peak
    assert (peak.node, peak.op, peak.in_bands) == (2, "CONV_2D", False)
    by_role = {buffer.role: buffer.bytes for buffer in peak.buffers}
    assert by_role.pop(SCRATCH) and by_role == {INPUT: 3456, KEPT: 2304, OUTPUT: 1152}
    assert peak.live_bytes == sum(buffer.bytes for buffer in peak.buffers) <= peak.head_bytes

    peak = tt.flatten(source, optimize="speed", explain=True).explanation.peak
    assert peak.live_bytes <= peak.head_bytes and peak.overlapping_bytes >= 0
    assert [buffer.bytes for buffer in peak.buffers] == sorted(
        (buffer.bytes for buffer in peak.buffers), reverse=True
    )


# The table of levels lists the same regions; their extra cycles add up to the cost of the level.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["armv6m", None])
def test_regions(tmp_path, target):
    source = _saved(tmp_path, mobilenet_v2(side=48))
    found = tt.flatten(source, target=target, explain=True)
    explanation = found.explanation
    sizes = {level.level: level for level in found.levels}
    regions = [(region.first, region.last) for region in explanation.regions]
    assert regions == sizes["balanced"].bands and regions
    assert all(region.bands > 1 and not region.groups for region in explanation.regions)
    assert "% smaller than speed" in explanation.decision
    if target is None:  # weights outside bands cost no cycles
        more = sizes["balanced"].cycles - sizes["speed"].cycles
        assert abs(more - sum(region.extra_cycles for region in explanation.regions)) <= 10


# The smallest plan recomputes rows, runs operators twice, and uses groups of channels.
def test_recomputed_rows_and_groups(tmp_path):
    net = Network("twice", (24, 24, 8))
    block = mobilenet_block(net, net.inputs[0], expansion=8, stride=2)
    source = _saved(tmp_path, net.build(block))
    explanation = tt.flatten(source, optimize="ram", explain=True).explanation
    assert explanation.repeated and explanation.decision.startswith("the smallest plan")
    assert any(region.recomputed_rows for region in explanation.regions)
    assert any(buffer.role == KEPT for buffer in explanation.peak.buffers)

    net = Network("groups", (6, 6, 4))
    pooled = net.pool("AVERAGE_POOL_2D", net.conv(net.inputs[0], 96, 1), 6)
    source = _saved(tmp_path, net.build(pooled))
    explanation = tt.flatten(source, optimize="ram", explain=True).explanation
    [region] = explanation.regions
    assert (region.first, region.last, region.bands) == (0, 1, 0) and region.groups > 1


# Each rule that may choose a plan is named.
def test_decisions(tmp_path, repository):
    def decision(data, **options):
        return tt.flatten(_saved(tmp_path, data), explain=True, **options).explanation.decision

    digits = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    assert "--optimize off" in decision(digits, optimize="off")
    assert "--keep-tensors" in decision(digits, keep_tensors=True)
    assert "without bands" in decision(digits, optimize="speed")
    assert decision(digits, arena_budget=1900).endswith("within 1900 bytes")
    assert decision(digits).startswith("no bands make the arena 10 % smaller")
    loop = repository / "tests" / "beyond" / "models" / "gru_float.tflite"
    assert "control flow" in decision(loop.read_bytes())
    dense = Network("anomaly", (1, 1, 640))
    flat = dense.reshape(dense.inputs[0], (1, 640))
    dense = dense.build(dense.dense(dense.dense(flat, 64), 640))
    assert "1.5 times the cycles" in decision(dense, target="mac16")
    speech = Network("speech", (49, 40, 1))
    image = speech.depthwise(speech.inputs[0], (10, 8), 2, multiplier=8)
    speech = speech.build(speech.dense(image, 4))
    near = f"faster ones need over {MAX_ABOVE_TFLM} bytes more than TFLM's head"
    assert near in decision(speech, target="armv6m")


# Models without an arena peak, with control flow, or with views, are explained, too.
def test_other_models(repository):
    models = sorted((repository / "tests" / "beyond" / "models").glob("*.tflite"))
    for path in models[::3]:
        for level in ("off", "balanced"):
            explanation = tt.flatten(path, optimize=level, explain=True).explanation
            peak = explanation.peak
            assert explanation.decision
            assert peak is None or 0 < peak.live_bytes <= peak.head_bytes


def test_notebook_shows_explanation(tmp_path):
    found = tt.flatten(_saved(tmp_path, unet("transposed", side=24)), explain=True)
    assert "why this memory plan" in found._repr_html_()
