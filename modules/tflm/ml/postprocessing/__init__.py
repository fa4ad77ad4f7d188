# tflm.ml.postprocessing: PostProcessor: the base class of OpenMV's post-processors.
# MIT license; Copyright (c) 2026 the tflm authors


class PostProcessor:
    """A callable for `predict(callback=)` of tflm.ml.Model; do not use it by itself.

    The decoders of tflm.detect do the work. Boxes are in pixels of the model's input; if the
    first input has an attribute `roi` (x, y, width, height), they are in pixels of the image from
    which this region was cut, scaled with its aspect kept.
    """

    # Number of classes before the first one of the decoder.
    _first = 0

    def __init__(self, decoder, threshold, nms_threshold=None, **options):
        self._decoder = decoder
        self._options = options
        options["threshold"] = threshold
        if nms_threshold is not None:
            options["overlap"] = nms_threshold
        self._model = self._detector = None

    def __call__(self, model, inputs, outputs):
        """Return a list for each class with ((x, y, width, height), score) for each box."""
        found = [[] for _ in range(self._classes(model))]
        for box, label, score, _ in self._boxes(model, inputs):
            found[self._first + label].append((box, score))
        return found

    # Yield (box, class, score, number) for each box of the last invoke().
    def _boxes(self, model, inputs):
        if model is not self._model:
            self._detector = self._decoder(model.interpreter, **self._options)
            self._model = model
        detector = self._detector
        roi = getattr(inputs[0], "roi", None) if inputs else None
        left = top = 0
        if roi:
            left, top = roi[0], roi[1]
            detector.set_frame((roi[2], roi[3]), "letterbox")
        else:
            detector.set_frame(None)
        detector.detect()
        for i, (x, y, width, height, label, score) in enumerate(detector.detections()):
            yield [left + x, top + y, width, height], label, score, i

    # Return the number of classes of a model, including those before the first one.
    def _classes(self, model):
        raise NotImplementedError
