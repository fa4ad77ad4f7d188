# tflm.detect: Detector: the base class of the decoders, and boxes in pixels of the frame.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from ..errors import InputError
from .boxes import ANCHOR, CLASS, FIELDS, SCORE, X0, X1, Y0, Y1, Boxes
from .fixed_point import ONE

_MAX_SIDE = 4095  # pixels: a coordinate times four sides has 30 bits
_FITS = ("stretch", "letterbox", "crop")


# Return (pixels of the frame in the input's side, offset), in quarters of a pixel.
def _side(side, frame, scale):
    size = frame if scale is None else side * scale
    return int(4 * size + 0.5), int(2 * (frame - size))


class Detector:
    """The base class of the decoders; do not use it by itself.

    interpreter: with the model. threshold: the least score, between 0 and 1. overlap: the
        largest intersection over union of two boxes; 1.0 keeps all boxes. class_wise: boxes of
        different classes may overlap. frame: (width, height) of the camera's frame; None for the
        size of the model's input. fit: how the frame became the input: "stretch" (both sides
        resized), "letterbox" (resized, with borders at two sides) or "crop" (the middle of the
        frame, resized). most: maximum number of boxes, and of candidates before boxes that overlap
        are removed.

    boxes: array of integers, six for each box, best box first: x, y, width, height in pixels of
    the frame, class, score in thousandths. Raises InputError for invalid arguments and for models
    with other outputs.
    """

    def __init__(self, interpreter, threshold=0.5, overlap=0.5, class_wise=True, frame=None,
                 fit="stretch", most=32):  # fmt: skip
        if not 0 < threshold < 1:
            raise InputError("the threshold is %r; pass a score between 0 and 1" % (threshold,))
        if not 0 <= overlap <= 1:
            raise InputError("the overlap is %r; pass 0 to 1" % (overlap,))
        if fit not in _FITS:
            raise InputError("fit is %r; pass %s" % (fit, ", ".join(_FITS)))
        if not 1 <= most <= 1000:
            raise InputError("most is %r; pass 1 to 1000 boxes" % (most,))
        shape = interpreter.input(0).shape
        if len(shape) != 4:
            raise InputError("the model's input %s is no image; use another model" % (shape,))
        self._input = shape[2], shape[1]
        self._threshold = threshold
        self._limit = int(threshold * ONE)
        self._overlap = int(overlap * ONE)
        self._class_wise = class_wise
        self._found = Boxes(most)
        self.boxes = array("i", bytes(4 * 6 * most))
        self.set_frame(frame, fit)

    def set_frame(self, frame, fit="stretch"):
        """Change the frame and how it becomes the input; see the class."""
        in_width, in_height = self._input
        width, height = frame or self._input
        if not (width > 0 and height > 0):
            raise InputError("the frame is %r; pass its width and height in pixels" % (frame,))
        scale = None
        if fit != "stretch":
            choose = max if fit == "letterbox" else min
            scale = choose(width / in_width, height / in_height)
        self._frame = width, height
        self._x_size, self._x_offset = _side(in_width, width, scale)
        self._y_size, self._y_offset = _side(in_height, height, scale)
        if max(self._x_size, self._y_size) > 4 * _MAX_SIDE:
            raise InputError(
                "the frame is %d x %d pixels; pass at most %d" % (width, height, _MAX_SIDE)
            )

    def detect(self):
        """Decode the outputs of the last invoke(); return the number of boxes.

        Allocates nothing after the first call.
        """
        found = self._found
        found.count = 0
        self._decode()
        if self._overlap < ONE:
            found.suppress(self._overlap, self._class_wise)
        rows, boxes = found.rows, self.boxes
        for i in range(found.count):
            row, box = FIELDS * i, 6 * i
            boxes[box] = x = self.x_pixel(rows[row + X0])
            boxes[box + 1] = y = self.y_pixel(rows[row + Y0])
            boxes[box + 2] = self.x_pixel(rows[row + X1]) - x
            boxes[box + 3] = self.y_pixel(rows[row + Y1]) - y
            boxes[box + 4] = rows[row + CLASS]
            boxes[box + 5] = (rows[row + SCORE] * 1000 + ONE // 2) >> 16
            self._finish(i, rows[row + ANCHOR])
        return found.count

    def detections(self):
        """Return a list of (x, y, width, height, class, score) of the last detect().

        The score is a float from 0 to 1. This allocates the list.
        """
        found = []
        for i in range(self._found.count):
            box = self.boxes[6 * i : 6 * i + 6]
            found.append(tuple(box[:5]) + (box[5] / 1000,))
        return found

    def x_pixel(self, x):
        """Return a coordinate in the input as a pixel of the frame, within the frame."""
        x = (min(max(x, 0), ONE) * self._x_size >> 16) + self._x_offset
        return min(max(x + 2 >> 2, 0), self._frame[0])

    def y_pixel(self, y):
        """Return a coordinate in the input as a pixel of the frame, within the frame."""
        y = (min(max(y, 0), ONE) * self._y_size >> 16) + self._y_offset
        return min(max(y + 2 >> 2, 0), self._frame[1])

    # Add all candidates to self._found.
    def _decode(self):
        raise NotImplementedError

    # Complete box `i`, which comes from an anchor.
    def _finish(self, i, anchor):
        pass


def outputs_of(interpreter):
    """Return a list of the outputs of an Interpreter."""
    return [interpreter.output(i) for i in range(interpreter.outputs_size())]


def raise_wrong(interpreter, wanted):
    """Raise InputError for a model with other outputs than the decoder reads."""
    shapes = ", ".join(str(list(tensor.shape)) for tensor in outputs_of(interpreter))
    raise InputError(
        "the decoder reads %s, the model has outputs %s; use another decoder" % (wanted, shapes)
    )
