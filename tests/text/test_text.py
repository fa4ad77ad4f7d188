# Tests of tflm.text: tokens of a text, the choice of a token, and the loop that writes
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import signal
import subprocess

import numpy as np
import pytest
from host.language import checkpoints
from support.runner import micropython_path
from support.script import run_script
from tflm_tools.flat.flatten import flatten
from tflm_tools.language.convert import DYNAMIC, FLOAT32, INT8, CheckpointConversion
from tflm_tools.language.decoder import Decoder
from tflm_tools.packages.runtime_files import kernels_of

SAMPLER = """
import json
import micropython
import sys
from tflm import dtypes
from tflm.tensor import Tensor
from tflm.text import Sampler
import struct

with open(sys.argv[1]) as file:
    job = json.load(file)
for case in job:
    raw = memoryview(bytearray(bytes(case["raw"])))
    bits = struct.unpack("<I", struct.pack("<f", 0.1))[0]
    dtype = dtypes.INT8 if case["dtype"] == "int8" else dtypes.FLOAT32
    tensor = Tensor("logits", dtype, (1, case["size"]), bits, 0, raw)
    sampler = Sampler(tensor, case["temperature"], case["top_k"], case["seed"])
    chosen = [0] * case["count"]
    micropython.heap_lock()
    for i in range(case["count"]):
        chosen[i] = sampler.choose()
    micropython.heap_unlock()
    print(json.dumps(chosen))
"""

WRITER = """
import asyncio
import json
import sys
import tflm
from tflm.text import Generator

path = sys.argv[1]
generator = Generator(tflm.load(path))
text = generator.generate("the", 12, temperature=0)
first = list(text)
again = "".join(generator.generate("the", 12, temperature=0))


async def collect():
    words = []
    async for word in generator.generate("the", 12, temperature=0):
        words.append(word)
        await asyncio.sleep(0)
    return words


others = ["".join(generator.generate("", seed=i)) for i in range(4)]
stopped = generator.generate("the", temperature=2)
some = [next(stopped)]
stopped.stop()
some += list(stopped)
try:
    generator.generate("a" * 40)
except tflm.InputError as error:
    message = str(error)
position = text.position, text.tokens
print(json.dumps([first, again, asyncio.run(collect()), others, some, message, position]))
"""

INTERRUPTED = """
import sys
import tflm
from tflm.text import Generator

generator = Generator(tflm.load(sys.argv[1]))
whole = "".join(generator.generate("Once upon", 60, temperature=0))
text = generator.generate("Once upon", 60, temperature=0)
words, stops = "", 0
while True:
    try:
        for word in text:
            words += word
            print("word")
        break
    except KeyboardInterrupt:
        stops += 1
print(stops, words == whole)
"""

WORDS = """
import json
import sys
from tflm.text.generator import Text


class Model:
    data = [0]

    def input(self, i):
        return self

    def invoke(self):
        pass


class Pieces:
    begin = end = -1
    is_prefixed = False
    positions = 10000

    def __init__(self, pieces):
        self.pieces = pieces
        self.at = -1

    def choose(self):
        self.at += 1
        return self.at

    def piece(self, token):
        return bytes(self.pieces[token])


with open(sys.argv[1]) as file:
    jobs = json.load(file)
texts = []
for job in jobs:
    pieces = Pieces(job)
    texts.append("".join(Text(Model(), pieces, [0], len(job), pieces)))
print(json.dumps(texts))
"""

TOKENS = """
import json
import sys
import tflm

interpreter = tflm.Interpreter(tflm.load(sys.argv[1]))
tokens = [1]
for i in range(int(sys.argv[2])):
    interpreter.input(0).data[0] = tokens[-1]
    interpreter.input(1).data[0] = i
    interpreter.invoke()
    values = interpreter.output(0).data
    tokens.append(max(range(len(values)), key=lambda k: values[k]))
print(json.dumps(tokens))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    checkpoints.write_llama2c(folder, checkpoints.random_checkpoint())
    for precision in (INT8, FLOAT32, DYNAMIC):
        CheckpointConversion(folder / "model.bin", precision=precision).convert(
            folder / f"{precision}.tflite"
        )
    return folder


def choices(tmp_path, *jobs):
    (tmp_path / "job.json").write_text(json.dumps(jobs))
    return [
        json.loads(line)
        for line in run_script(SAMPLER, str(tmp_path / "job.json")).split("\n")[:-1]
    ]


def job(values, dtype, temperature=1.0, top_k=0, seed=1, count=4000):
    array = np.asarray(values, np.int8 if dtype == "int8" else np.float32)
    return {
        "raw": list(array.tobytes()), "dtype": dtype, "size": array.size, "seed": seed,
        "temperature": temperature, "top_k": top_k, "count": count,
    }  # fmt: skip


# Chosen tokens have the probabilities of the logits; chi-squared with a limit that one seed in a
# million exceeds.
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_probabilities(tmp_path, dtype, temperature):
    levels = np.array([3, -20, 7, 7, -128, 0, 5, -4])
    values = levels if dtype == "int8" else levels * 0.125
    chosen = choices(tmp_path, job(values, dtype, temperature))[0]
    scale = 0.1 if dtype == "int8" else 0.125
    p = np.exp(levels * scale / temperature)
    p /= p.sum()
    counts = np.bincount(chosen, minlength=8)
    expected = p * len(chosen)
    large = expected > 5
    error = ((counts - expected)[large] ** 2 / expected[large]).sum()
    assert error < 45
    assert counts[~large].sum() < 40


def test_seeds_and_top_k(tmp_path):
    random = np.random.default_rng(2026)
    values = random.integers(-128, 128, 300)
    values[17] = values[250] = 127
    floats = random.normal(0, 3, 300).astype(np.float32)
    results = choices(
        tmp_path,
        job(values, "int8", seed=1), job(values, "int8", seed=1), job(values, "int8", seed=2),
        job(values, "int8", 0, count=3), job(floats, "float32", 0, count=3),
        job(-abs(floats) * 1e-3, "float32", 0, count=3), job(values, "int8", 5.0, top_k=5),
        job(values, "int8", top_k=1),
    )  # fmt: skip
    assert results[0] == results[1] != results[2]
    assert results[3] == 3 * [int(values.argmax())]
    assert results[4] == 3 * [int(floats.argmax())]
    assert results[5] == 3 * [int((-abs(floats)).argmax())]
    fifth = np.sort(values)[-5]
    assert set(results[6]) == set(np.flatnonzero(values >= fifth))
    assert set(results[7]) == set(np.flatnonzero(values == 127))


@pytest.mark.parametrize("precision", [INT8, FLOAT32])
def test_writer(folder, precision):
    output = run_script(WRITER, str(folder / f"{precision}.tflite"), heap="64M")
    first, again, waited, others, some, message, position = json.loads(output)
    assert "".join(first) == again == "".join(waited) and first
    assert 0 < position[1] <= 12 and position[0] > position[1]
    assert len(set(others)) > 1
    assert len(some) == 1
    assert "longest text 32" in message


# Ctrl-C between and during tokens: the text goes on with the same words.
def test_interrupts(repository, tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    command = [micropython_path(), "-X", "heapsize=8M", str(script)]
    model = repository / "models" / "story" / "story_int8.tflite"
    environment = {**os.environ, "MICROPYPATH": f"{repository / 'modules'}:.frozen"}
    with subprocess.Popen(
        [*command, str(model)], stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        for _ in range(20):
            assert process.stdout.readline() == "word\n"
            process.send_signal(signal.SIGINT)
        *_, last = process.communicate(timeout=60)[0].split("\n")[:-1]
    assert last.endswith(" True") and 1 < int(last.split()[0]) <= 20


# Tokens of random bytes: characters whose bytes are several tokens, and bytes that are no text.
def test_words_of_bytes(tmp_path):
    random = np.random.default_rng(2026)
    text = "a\u00e4\u20ac\U0001f600 b" * 20
    noise = bytes(random.choice([65, 0xC3, 0xA4, 0xF0, 0xFF], 300).tolist())
    jobs = []
    for data in (text.encode(), noise):
        ends = np.cumsum(random.integers(1, 4, len(data))).tolist()
        jobs.append([list(data[at:end]) for at, end in zip([0, *ends], ends, strict=False)])
    (tmp_path / "job.json").write_text(json.dumps(jobs))
    found = json.loads(run_script(WORDS, str(tmp_path / "job.json")))
    assert found[0] == text
    assert found[1].replace("\ufffd", "").encode() == noise.decode(errors="ignore").encode()


# Tokens at temperature 0 equal the tokens of TFLM (int8) and of numpy (float32).
@pytest.mark.parametrize("precision", [INT8, FLOAT32])
def test_tokens(folder, precision):
    path = folder / f"{precision}.tflite"
    found = json.loads(run_script(TOKENS, str(path), "31", heap="64M"))
    if precision == INT8:
        assert found == tflm_tokens(path, 31)
    if precision == FLOAT32:
        assert found == numpy_tokens(CheckpointConversion(folder / "model.bin").checkpoint, 31)


# Checkpoints of several shapes: queries that share keys, odd sizes, another classifier, a residual
# stream of float32, many tokens.
SHAPES = {
    "odd sizes": {"dim": 30, "hidden": 41, "heads": 3, "kv_heads": 3, "vocabulary": 331},
    "wide": {"dim": 104, "hidden": 53, "heads": 4, "kv_heads": 2, "is_tied": False},
    "two channels a head": {"dim": 12, "hidden": 8, "heads": 6, "kv_heads": 2, "layers": 1},
    "many tokens": {"dim": 8, "heads": 2, "kv_heads": 1, "layers": 1, "vocabulary": 12000},
}


# As .tflm the tokens equal the tokens of TFLM (int8) and of numpy (float32).
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(tmp_path, name):
    model = checkpoints.random_checkpoint(positions=16, **SHAPES[name])
    if list(SHAPES).index(name) % 2:
        model.epsilon = 0.01  # with an effect on the tokens
        source = checkpoints.write_safetensors(tmp_path, model)
    else:
        source = checkpoints.write_llama2c(tmp_path, model)
    for precision in (INT8, FLOAT32):
        conversion = CheckpointConversion(source, precision=precision, positions=13)
        path, flat = tmp_path / f"{precision}.tflite", tmp_path / f"{precision}.tflm"
        conversion.convert(path)
        flat.write_bytes(flatten(path.read_bytes(), optimize="off"))
        found = json.loads(run_script(TOKENS, str(flat), "13", heap="64M"))
        wanted = tflm_tokens(path, 13) if precision == INT8 else numpy_tokens(model, 13)
        assert found == wanted
        assert any("attention" in kernel for kernel in kernels_of(flat.read_bytes()))


# Two hundred tokens of our own model, as .tflm with all passes and as .tflite.
def test_story_tokens(repository, tmp_path):
    model = repository / "models" / "story" / "story_int8.tflite"
    flat = tmp_path / "story.tflm"
    flat.write_bytes(flatten(model.read_bytes()))
    assert {"attention.eval_int8", "lookup.eval_int8"} <= set(kernels_of(flat.read_bytes()))
    wanted = tflm_tokens(model, 200)
    assert len(set(wanted)) > 30
    for path in (flat, model):
        assert json.loads(run_script(TOKENS, str(path), "200", heap="64M")) == wanted


def numpy_tokens(checkpoint, count):
    decoder, tokens = Decoder(checkpoint), [1]
    for _ in range(count):
        tokens.append(int(decoder.forward(tokens[-1:])[0].argmax()))
    return tokens


def tflm_tokens(path, count):
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_file(str(path))
    tokens = [1]
    for i in range(count):
        interpreter.set_input(np.array([tokens[-1]], np.int32), 0)
        interpreter.set_input(np.array([i], np.int32), 1)
        interpreter.invoke()
        tokens.append(int(interpreter.get_output(0).argmax()))
    return tokens
