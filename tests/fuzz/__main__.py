# `make -C tests fuzz`: runs campaigns of damaged models with a new seed until the time is over
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from .campaign import Outcome, campaign, kernel_tests, seeds_of


def _arguments():
    parser = argparse.ArgumentParser(prog="make -C tests fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", default=None, help="repeats a campaign; default: the time")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="for failures")
    parser.add_argument("models", nargs="*", type=Path, help=".tflite files to damage instead")
    return parser.parse_args()


def main():
    """Run campaigns round by round; exit with 1 if a model failed."""
    arguments = _arguments()
    seed = arguments.seed or str(int(time.time()))
    end = time.monotonic() + arguments.seconds
    corpus = {path.stem: [path.read_bytes()] for path in arguments.models} or {
        name: seeds_of(name, 8) for name in kernel_tests()
    }
    total = Outcome()
    print(f"seed {seed}, {sum(map(len, corpus.values()))} models to damage", flush=True)
    turn = 0
    while time.monotonic() < end:
        for name, sources in corpus.items():
            if time.monotonic() > end:
                break
            with tempfile.TemporaryDirectory() as folder:
                outcome = campaign(sources, 20, Path(folder), f"{seed} {turn} {name}")
            total.add(outcome.counts)
            for model, what in outcome.failures:
                arguments.output.mkdir(parents=True, exist_ok=True)
                digest = hashlib.sha256(model).hexdigest()[:12]
                kind = "tflm" if model[:4] == b"TFLM" else "tflite"
                path = arguments.output / f"{name}-{digest}.{kind}"
                path.write_bytes(model)
                total.failures.append((model, what))
                print(f"{path}: {what}", flush=True)
        turn += 1
    for what, count in sorted(total.counts.items()):
        print(f"{count:8d} {what}")
    print(f"{len(total.failures)} failed")
    sys.exit(bool(total.failures))


main()
