# tflm_tools: options of commands that plan a model: which plan tflm flatten makes
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from ..optimize.memory.levels import BALANCED, LEVELS

OPTIMIZE = click.option(
    "--optimize",
    type=click.Choice(LEVELS),
    default=BALANCED,
    show_default=True,
    help="How much time less RAM may cost: any, little or none. off leaves memory as TFLM plans "
    "it.",
)
ARENA_BUDGET = click.option(
    "--arena-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="In place of --optimize: the fastest plan, by estimate, whose arena has at most so many.",
)
BY_ROWS = click.option(
    "--input-by-rows",
    "by_rows",
    is_flag=True,
    help="The input comes while the model runs, some rows at a time: docs/how-to/less-ram.md.",
)


def plan_options(command):
    """Add all of them to a command."""
    for option in (BY_ROWS, ARENA_BUDGET, OPTIMIZE):
        command = option(command)
    return command
