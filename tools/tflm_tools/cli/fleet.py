# tflm_tools: the commands of fleet: keys, signed updates, a server to try them with
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from ..targets import TARGETS, targets_help
from .board import TIMEOUT


def register(cli, show, working, json_option, custom_option):
    """Add the command `fleet` to a click group; the rest are options and helpers it shares."""

    @cli.group()
    def fleet():
        """Many boards: models that are signed here and pulled over HTTP: docs/how-to/fleet.md."""

    @fleet.command()
    @click.argument("output", type=click.Path())
    def keygen(output):
        """Make a key that signs models: OUTPUT, which stays secret, and a .pub for the boards."""
        from ..fleet.keys import generate

        public = generate(output)
        click.echo(f"{output}: the private key; keep it off the boards, and keep a copy")
        click.echo(f"{public}: the public key, for the boards")

    @fleet.command()
    @click.argument("model", type=click.Path())
    @click.option("--key", type=click.Path(), required=True, help="The private key.")
    @click.option(
        "--version", type=int, required=True, help="A number, higher than any that boards have."
    )
    @click.option("--name", help="Of the model, on all boards. [default: the file's]")
    @click.option("-o", "--output", type=click.Path(), help="[default: NAME-VERSION.tflu]")
    @click.option(
        "--vectors",
        type=click.IntRange(min=1, max=256),
        default=4,
        show_default=True,
        help="Test vectors: inputs, with the outputs that boards have to give.",
    )
    @click.option("--data", type=click.Path(), help="Their inputs, as for eval; else made up.")
    @click.option(
        "--target",
        type=click.Choice(TARGETS),
        help=f"Of a .tflite: pack weights for {targets_help()}.",
    )
    @custom_option
    @TIMEOUT
    @json_option
    def sign(model, as_json, **options):
        """Sign MODEL, a .tflm, or a .tflite that is flattened: an update that boards take."""
        from ..fleet.update import sign

        with working("sign", model):
            result = sign(model, **options)
        show(result, as_json, "fleet", "print_update")

    @fleet.command()
    @click.argument("update", type=click.Path())
    @click.option("--key", type=click.Path(), required=True, help="The public key, a .pub.")
    @json_option
    def verify(update, key, as_json):
        """Say whether UPDATE is whole and signed, as a board would."""
        from ..fleet.keys import load_public
        from ..fleet.update import verify

        show(verify(update, load_public(key)), as_json, "fleet", "print_update")

    @fleet.command()
    @click.argument("folder", type=click.Path())
    @click.option("--host", default="0.0.0.0", show_default=True)
    @click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
    @click.option("--token", default="", help="What boards have to show. [default: nothing]")
    @click.option("--seconds", type=click.IntRange(1, 86399), default=60, show_default=True,
                  help="That boards are told to wait between two polls.")  # fmt: skip
    def serve(folder, **options):
        """Offer the newest updates in FOLDER to all boards that poll; Ctrl-C ends it.

        A small server that speaks hawkBit's DDI, to try things and for a class room. It is in
        plain HTTP and forgets the boards when it ends. Its page / has a line for each board.
        """
        from ..fleet.server import Server

        server = Server(folder, log=click.echo, **options)
        host, port = server.server_address[:2]
        offered = f"offering the newest .tflu files in {folder}"
        click.echo(f"boards poll http://{host}:{port}/DEFAULT; {offered}")
        with server:
            server.serve_forever()
