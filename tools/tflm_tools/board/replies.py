# tflm_tools: board: what an answer of a board must look like: it is somebody else's data
# MIT license; Copyright (c) 2026 the tflm authors

_MOST_INT = 1 << 63
SIZE = 1 << 32  # a form: bytes of a board's memory


class Maybe:
    """A form that may also be None."""

    def __init__(self, form):
        self.form = form


def has_form(value, form):
    """True when a value is what a form says.

    form: a type (ints have at most 64 bits; object is anything), a number for ints from 0 up to
    it, Maybe(form), [form] for a list, (form, ...) for a tuple or list of just these,
    {name: form, ...} for a dict with just these keys, {type: form} for a dict with any keys of
    a type.
    """
    if isinstance(form, Maybe):
        return value is None or has_form(value, form.form)
    if isinstance(form, list):
        return isinstance(value, list) and all(has_form(entry, form[0]) for entry in value)
    if isinstance(form, tuple):
        return (
            isinstance(value, (tuple, list))
            and len(value) == len(form)
            and all(map(has_form, value, form))
        )
    if isinstance(form, dict):
        return isinstance(value, dict) and _entries_have_form(value, form)
    if isinstance(form, int):
        return type(value) is int and 0 <= value <= form
    if form is int:
        return type(value) is int and -_MOST_INT <= value < _MOST_INT
    return form is object or type(value) is form


def _entries_have_form(value, form):
    key = next(iter(form))
    if isinstance(key, type):
        return all(has_form(k, key) and has_form(entry, form[key]) for k, entry in value.items())
    return value.keys() == form.keys() and all(has_form(value[k], form[k]) for k in form)
