# tflm_tools: cli: the command group fleet: keygen, sign, verify, serve
# MIT license; Copyright (c) 2026 the tflm authors

import ipaddress

import rich_click as click

from ..targets import targets_help
from . import options
from .output import show, working


@click.group()
def fleet():
    """Sign models and serve them to many boards over HTTP: docs/products/fleet.md."""


@fleet.command()
@click.argument("output", type=options.OutputPath())
def keygen(output):
    """Make a key pair: OUTPUT is the secret key that signs models, a .pub is for the boards."""
    from ..fleet.keys import generate

    public = generate(output)
    click.echo(f"{output}: the private key; keep it off the boards, and keep a copy")
    click.echo(f"{public}: the public key, for the boards")


@fleet.command()
@options.model
@click.option("--key", type=options.FilePath(), required=True, help="File of the private key.")
@click.option(
    "--version",
    type=int,
    required=True,
    help="Version number, which must be higher than the boards' versions.",
)
@click.option("--name", help="Name of the model on all boards. [default: the file's name]")
@click.option(
    "-o", "--output", type=options.OutputPath(), help="File to write. [default: NAME-VERSION.tflu]"
)
@click.option(
    "--vectors",
    type=click.IntRange(min=1, max=256),
    default=4,
    show_default=True,
    help="Number of test vectors: inputs, and the outputs that boards must compute.",
)
@click.option(
    "--data",
    type=options.FilePath(),
    help="Data set for the inputs of the test vectors, as for eval. [default: random inputs]",
)
@click.option(
    "--target",
    type=options.Target(),
    help=f"For a .tflite: pack weights for {targets_help()}.",
)
@options.custom
@options.timeout
@options.as_json
def sign(model, as_json, **sign_options):
    """Sign MODEL, a .tflm, or a .tflite that is flattened first, as an update for boards."""
    from ..fleet.update import sign

    with working("sign", model):
        result = sign(model, **sign_options)
    show(result, as_json, "fleet", "print_update")


@fleet.command()
@click.argument("update", type=options.FilePath())
@click.option(
    "--key", type=options.FilePath(), required=True, help="File of the public key, a .pub."
)
@options.as_json
def verify(update, key, as_json):
    """Check whether UPDATE is complete and signed, as a board does."""
    from ..fleet.keys import load_public
    from ..fleet.update import verify

    show(verify(update, load_public(key)), as_json, "fleet", "print_update")


@fleet.command()
@click.argument("folder", type=options.FilePath())
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 lets boards and other machines in the network connect.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="TCP port; 0 for any free one.",
)
@click.option(
    "--token",
    default="",
    help="Token that boards, and readers of the page, must send. [default: none]",
)
@click.option(
    "--seconds",
    type=click.IntRange(1, 86399),
    default=60,
    show_default=True,
    help="Time between two polls of a board.",
)
def serve(folder, **serve_options):
    """Offer the newest updates in FOLDER to all boards that poll, until Ctrl-C.

    This is a small server with hawkBit's DDI API, for tests and small groups of boards. It uses
    plain HTTP and stores no data about boards. Its page / has a line for each board;
    a browser asks for a password there, which is the token.
    """
    from ..fleet.server import Server

    server = Server(folder, log=click.echo, **serve_options)
    host, port = server.server_address[:2]
    offered = f"offering the newest .tflu files in {folder}"
    reached = ""
    if ipaddress.ip_address(host).is_loopback:
        reached = "; only this computer can connect, for others see --host"
    click.echo(f"boards poll http://{host}:{port}/DEFAULT; {offered}{reached}")
    with server:
        server.serve_forever()


COMMANDS = (fleet,)
