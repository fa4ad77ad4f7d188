# tflm_tools: the command search: which networks of a user's space fit a board
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .. import files
from ..optimize.memory.levels import BALANCED, LEVELS
from .workers import bar_of


def register(cli, show, as_json_option):
    """Add the command to a click group; `show` prints data."""

    @cli.command()
    @click.argument("space", type=click.Path())
    @click.option("--board", default="pico", show_default=True, help="pico, pico2, esp32s3 ...")
    @click.option(
        "--trials", type=click.IntRange(min=1), default=50, show_default=True,
        help="Networks to try, with those that --storage has.",
    )  # fmt: skip
    @click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
    @click.option(
        "--storage", metavar="FILE", help="Kept there (.db: SQLite; .log): go on another time."
    )
    @click.option("--ram", type=click.IntRange(min=1), metavar="BYTES", help="[default: board's]")
    @click.option("--flash", type=click.IntRange(min=1), metavar="BYTES",
                  help="[default: board's]")  # fmt: skip
    @click.option("--ms", type=click.FloatRange(min=0, min_open=True), help="[default: any]")
    @click.option(
        "--optimize", type=click.Choice(LEVELS), default=BALANCED, show_default=True,
        help="As for tflm flatten.",
    )  # fmt: skip
    @click.option(
        "-o", "--output", type=click.Path(), help="A picture: .svg, .png or .html, with the table."
    )
    @as_json_option
    def search(space, output, as_json, **options):
        """Which networks of SPACE.py fit a board, before any is trained.

        SPACE.py has build(trial), which makes a network of what trial.suggest_int() and its like
        give, and may have score(trial, network). The exit code is 1 where none fits. See
        docs/how-to/search-models.md.
        """
        from ..model_search.study import search
        from ..render.search import kind_of, search_picture

        if output:
            kind_of(output)
            files.check_output(output, space)
        with bar_of("search", not as_json) as progress:
            result = search(space, progress=progress, **options)
        if output:
            files.write(output, search_picture(result, output))
        written = {} if as_json else {"written": output}
        show(result, as_json, "search", "print_search", **written)
        if result.stopped:
            raise KeyboardInterrupt
        if not result.front:
            raise SystemExit(1)
