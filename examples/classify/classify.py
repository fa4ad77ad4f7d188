# Example: classify an image with the calls of LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

#     python examples/classify/classify.py IMAGE -m MODEL [-l LABELS] [-k COUNT]
#
# For LiteRT, replace one import by: from ai_edge_litert.interpreter import Interpreter

import argparse

import numpy as np
from PIL import Image
from tflm.litert import Interpreter


def load_image(path, details, mean, std):
    """Return the image as an array with the shape and the type of the input."""
    _, height, width, channels = details["shape"]
    mode = "L" if channels == 1 else "RGB"
    image = Image.open(path).convert(mode).resize((width, height))
    values = np.asarray(image, dtype=np.float32).reshape(details["shape"])
    values = (values - mean) / std
    if details["dtype"] == np.float32:
        return values
    scale, zero_point = details["quantization"]
    limits = np.iinfo(details["dtype"])
    quantized = np.round(values / scale + zero_point)
    return np.clip(quantized, limits.min, limits.max).astype(details["dtype"])


def scores_of(interpreter, details):
    """Return the output as real numbers."""
    scores = np.squeeze(interpreter.get_tensor(details["index"]))
    if details["dtype"] == np.float32:
        return scores
    scale, zero_point = details["quantization"]
    return scale * (scores.astype(np.int32) - zero_point)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("image")
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("-l", "--labels")
    parser.add_argument("-k", "--count", type=int, default=3)
    parser.add_argument("--mean", type=float, default=0.0)
    parser.add_argument("--std", type=float, default=255.0)
    args = parser.parse_args()

    interpreter = Interpreter(model_path=args.model, num_threads=2)
    interpreter.allocate_tensors()
    input_details = interpreter.get_input_details()
    output_details = interpreter.get_output_details()

    image = load_image(args.image, input_details[0], args.mean, args.std)
    interpreter.set_tensor(input_details[0]["index"], image)
    interpreter.invoke()

    labels = None
    if args.labels:
        with open(args.labels) as file:
            labels = [line.strip() for line in file]
    scores = scores_of(interpreter, output_details[0])
    for i in scores.argsort()[::-1][: args.count]:
        print(f"{scores[i]:.4f} {labels[i] if labels else i}")


if __name__ == "__main__":
    main()
