# tflm_tools: cli: the groups of commands in `tflm --help`, and an example for each command
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

# In the order of work. Each command has an example, which ends its own help.
PANELS = {
    "Look at a model": {
        "inspect": "tflm inspect model.tflite",
        "plan": "tflm plan model.tflite",
        "report": "tflm report model.tflite -o model.html",
        "ops": "tflm ops model.tflite",
    },
    "Convert a model": {
        "convert": "tflm convert model.keras --data train.npz -o model.tflite",
        "flatten": "tflm flatten model.tflite -o model.tflm --target pico",
        "transform": "tflm transform model.tflite -o smaller.tflite",
        "requantize": "tflm requantize model.tflite -o model16.tflite",
    },
    "Put a model on a board": {
        "boards": "tflm boards",
        "doctor": "tflm doctor",
        "deploy": "tflm deploy model.tflite",
        "flash": "tflm flash RPI_PICO",
    },
    "Run and measure": {
        "run": "tflm run model.tflite --input one.npy --quantize",
        "verify": "tflm verify model.tflite",
        "eval": "tflm eval model.tflite --data test.npz",
        "bench": "tflm bench model.tflite --on auto",
        "measure": "tflm measure",
    },
    "More": {
        "learn": "tflm learn model.tflite --data folder",
        "search": "tflm search space.py --board pico",
        "wake": "tflm wake listen hey_pico.json --wav sound.wav",
        "speech": "tflm speech listen voice.json words.json --wav sound.wav",
        "fleet": "tflm fleet keygen fleet.key",
        "micropython": "tflm micropython program.py",
    },
}

# Examples of the commands of groups.
SUBCOMMANDS = {
    "wake": {
        "listen": "tflm wake listen hey_pico.json --wav sound.wav",
        "train": 'tflm wake train "hey pico" -o hey_pico',
    },
    "speech": {
        "listen": "tflm speech listen voice.json words.json --wav sound.wav",
        "train": "tflm speech train open close -o my_words",
        "denoise": "tflm speech denoise models/speech/denoise.tflite --wav noisy.wav -o clean.wav",
        "say": 'tflm speech say "light on" "light off" -o clips.pack',
    },
    "fleet": {
        "keygen": "tflm fleet keygen fleet.key",
        "sign": "tflm fleet sign model.tflm --key fleet.key --version 1",
        "verify": "tflm fleet verify model-1.tflu --key fleet.pub",
        "serve": "tflm fleet serve updates",
    },
}


def in_panels(group):
    """Order the commands of a group in panels, and add its example to each command."""
    for name, examples in SUBCOMMANDS.items():
        for subcommand, example in examples.items():
            group.commands[name].commands[subcommand].epilog = f"Example: {example}"
    for title, examples in PANELS.items():
        group = click.command_panel(title, commands=list(examples))(group)
        for name, example in examples.items():
            group.commands[name].epilog = f"Example: {example}"
    return group
