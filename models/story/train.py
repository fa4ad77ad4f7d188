# Train a small language model of Llama's type with numpy: forward, backward, AdamW
# MIT license; Copyright (c) 2026 the tflm authors

import math
from dataclasses import dataclass

import numpy as np

_EPSILON = 1e-5  # of the norms
_BETAS = 0.9, 0.95
_DECAY = 0.05
_LARGEST_GRADIENT = 1.0  # the norm of all gradients is clipped to it
_WARM_UP = 50  # steps


@dataclass(frozen=True)
class Size:
    """The sizes of a model; hidden: of the feed-forward network, positions: the longest text."""

    dim: int = 64
    hidden: int = 172
    layers: int = 4
    heads: int = 8
    kv_heads: int = 4
    vocabulary: int = 512
    positions: int = 256

    @property
    def head_dim(self):
        return self.dim // self.heads


def initial_weights(size, random):
    """Return {name: float32 array}, with the names and shapes of a llama2.c checkpoint."""
    kv = size.kv_heads * size.head_dim
    shapes = {
        "embedding": (size.vocabulary, size.dim),
        "query": (size.layers, size.dim, size.dim),
        "key": (size.layers, kv, size.dim),
        "value": (size.layers, kv, size.dim),
        "output": (size.layers, size.dim, size.dim),
        "gate": (size.layers, size.hidden, size.dim),
        "down": (size.layers, size.dim, size.hidden),
        "up": (size.layers, size.hidden, size.dim),
    }
    weights = {
        name: random.normal(0, 0.05, shape).astype(np.float32) for name, shape in shapes.items()
    }
    for name, rows in (("attention_norm", size.layers), ("feed_norm", size.layers)):
        weights[name] = np.ones((rows, size.dim), np.float32)
    weights["final_norm"] = np.ones(size.dim, np.float32)
    return weights


# RMS norm without its gain: (normalized, 1 / rms).
def _norm(x):
    inverse = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + _EPSILON)
    return x * inverse, inverse


# The gradient of _norm().
def _norm_back(grad, normalized, inverse):
    return inverse * (grad - normalized * (grad * normalized).mean(-1, keepdims=True))


class Llama:
    """The network with its gradients. Texts are [batch, time] arrays of tokens."""

    def __init__(self, size, weights):
        self.size, self.weights = size, weights
        frequencies = 1 / 10000 ** (np.arange(0, size.head_dim, 2) / size.head_dim)
        angles = np.arange(size.positions)[:, None] * frequencies
        self._cos, self._sin = np.cos(angles, dtype="f4"), np.sin(angles, dtype="f4")

    # Rotate the pairs of the last axis of [batch, time, heads, head_dim]; sign -1 rotates back.
    def _rotated(self, x, sign=1):
        time = x.shape[1]
        cos, sin = self._cos[:time, None], sign * self._sin[:time, None]
        result = np.empty_like(x)
        a, b = x[..., 0::2], x[..., 1::2]
        result[..., 0::2] = a * cos - b * sin
        result[..., 1::2] = a * sin + b * cos
        return result

    def loss(self, tokens, gradients=None):
        """Return the mean loss of predicting tokens[:, 1:]; targets below 0 do not count.

        gradients: a dict that gets the gradient of each weight, if it is not None.
        """
        inputs, targets = np.maximum(tokens[:, :-1], 0), tokens[:, 1:]
        w, tape = self.weights, []
        x = w["embedding"][inputs]
        for layer in range(self.size.layers):
            x = self._layer(x, layer, tape)
        normalized, inverse = _norm(x)
        features = normalized * w["final_norm"]
        logits = features @ w["embedding"].T
        logits -= logits.max(-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(-1, keepdims=True)  # now probabilities
        batch, time = np.nonzero(targets >= 0)
        right = targets[batch, time]
        loss = -np.log(logits[batch, time, right] + 1e-30).mean()
        if gradients is None:
            return float(loss)
        logits[batch, time, right] -= 1
        logits[targets < 0] = 0
        logits /= len(right)
        grad = logits @ w["embedding"]
        gradients["embedding"] = _outer(logits, features)
        gradients["final_norm"] = (grad * normalized).sum((0, 1))
        grad = _norm_back(grad * w["final_norm"], normalized, inverse)
        for name in w:
            gradients.setdefault(name, np.zeros_like(w[name]))
        for layer in reversed(range(self.size.layers)):
            grad = self._layer_back(grad, layer, tape.pop(), gradients)
        np.add.at(gradients["embedding"], inputs, grad)
        return float(loss)

    # One layer on [batch, time, dim]; appends to `tape` what _layer_back() needs.
    def _layer(self, x, layer, tape):
        w, size = self.weights, self.size
        batch, time, _ = x.shape
        n1, inverse1 = _norm(x)
        h1 = n1 * w["attention_norm"][layer]
        q, k, v = (h1 @ w[name][layer].T for name in ("query", "key", "value"))
        q = self._rotated(q.reshape(batch, time, size.heads, -1))
        k = self._rotated(k.reshape(batch, time, size.kv_heads, -1))
        v = v.reshape(batch, time, size.kv_heads, -1)
        # [batch, kv_heads, group * time, head_dim]: the heads of a group share keys and values.
        q = q.transpose(0, 2, 1, 3).reshape(batch, size.kv_heads, -1, size.head_dim)
        k, v = k.transpose(0, 2, 1, 3), v.transpose(0, 2, 1, 3)
        p = q @ k.swapaxes(2, 3)
        p *= 1 / math.sqrt(size.head_dim)
        p = p.reshape(batch, size.heads, time, time)
        p += np.triu(np.full((time, time), -1e9, np.float32), 1)
        p -= p.max(-1, keepdims=True)
        np.exp(p, out=p)
        p /= p.sum(-1, keepdims=True)
        p = p.reshape(batch, size.kv_heads, -1, time)
        mixed = _merged(p @ v, size.heads)
        x1 = x + mixed @ w["output"][layer].T
        n2, inverse2 = _norm(x1)
        h2 = n2 * w["feed_norm"][layer]
        g, u = h2 @ w["gate"][layer].T, h2 @ w["up"][layer].T
        sigmoid = 1 / (1 + np.exp(-g))
        hidden = g * sigmoid * u
        tape.append((n1, inverse1, h1, q, k, v, p, mixed, n2, inverse2, h2, g, u, sigmoid, hidden))
        return x1 + hidden @ w["down"][layer].T

    def _layer_back(self, grad, layer, tape, gradients):
        w, size = self.weights, self.size
        n1, inverse1, h1, q, k, v, p, mixed, n2, inverse2, h2, g, u, sigmoid, hidden = tape
        batch, time, _ = grad.shape
        gradients["down"][layer] = _outer(grad, hidden)
        dh = grad @ w["down"][layer]
        dg = dh * u * sigmoid * (1 + g * (1 - sigmoid))
        du = dh * g * sigmoid
        gradients["gate"][layer], gradients["up"][layer] = _outer(dg, h2), _outer(du, h2)
        dh = dg @ w["gate"][layer] + du @ w["up"][layer]
        gradients["feed_norm"][layer] = (dh * n2).sum((0, 1))
        grad = grad + _norm_back(dh * w["feed_norm"][layer], n2, inverse2)
        gradients["output"][layer] = _outer(grad, mixed)
        dmixed = grad @ w["output"][layer]
        dmixed = dmixed.reshape(batch, time, size.heads, -1).transpose(0, 2, 1, 3)
        dmixed = dmixed.reshape(batch, size.kv_heads, -1, size.head_dim)
        dv = p.swapaxes(2, 3) @ dmixed
        dp = dmixed @ v.swapaxes(2, 3)
        dp -= (dp * p).sum(-1, keepdims=True)
        dp *= p
        dp *= 1 / math.sqrt(size.head_dim)
        dq = _merged(dp @ k, size.heads).reshape(batch, time, size.heads, -1)
        dk = _merged(dp.swapaxes(2, 3) @ q, size.kv_heads).reshape(batch, time, size.kv_heads, -1)
        dq, dk = (self._rotated(x, -1).reshape(batch, time, -1) for x in (dq, dk))
        dv = _merged(dv, size.kv_heads)
        dh = 0
        for name, each in (("query", dq), ("key", dk), ("value", dv)):
            gradients[name][layer] = _outer(each, h1)
            dh = dh + each @ w[name][layer]
        gradients["attention_norm"][layer] = (dh * n1).sum((0, 1))
        return grad + _norm_back(dh * w["attention_norm"][layer], n1, inverse1)


# [batch, kv_heads, group * time, head_dim] to [batch, time, heads * head_dim].
def _merged(x, heads):
    batch, _, _, head_dim = x.shape
    return (
        x.reshape(batch, heads, -1, head_dim)
        .transpose(0, 2, 1, 3)
        .reshape(batch, -1, heads * head_dim)
    )


# The gradient of a matrix: the sum over all positions of the outer products.
def _outer(grad, x):
    return grad.reshape(-1, grad.shape[-1]).T @ x.reshape(-1, x.shape[-1])


def padded(texts):
    """Return lists of tokens as an array [texts, longest], with -1 after the end of a text."""
    result = np.full((len(texts), max(map(len, texts))), -1)
    for row, text in zip(result, texts, strict=True):
        row[: len(text)] = text
    return result


class AdamW:
    """The optimizer (Loshchilov and Hutter, 2019); gains of norms do not decay."""

    def __init__(self, weights):
        self._weights = weights
        self._mean = {name: np.zeros_like(w) for name, w in weights.items()}
        self._square = {name: np.zeros_like(w) for name, w in weights.items()}
        self._steps = 0

    def step(self, gradients, rate):
        """Change the weights by their gradients, which are clipped together."""
        self._steps += 1
        total = math.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
        clip = min(1, _LARGEST_GRADIENT / (total + 1e-9))
        for name, weight in self._weights.items():
            grad = gradients[name] * clip
            mean, square = self._mean[name], self._square[name]
            mean += (1 - _BETAS[0]) * (grad - mean)
            square += (1 - _BETAS[1]) * (grad * grad - square)
            corrected = mean / (1 - _BETAS[0] ** self._steps)
            root = np.sqrt(square / (1 - _BETAS[1] ** self._steps)) + 1e-8
            if not name.endswith("norm"):
                weight -= rate * _DECAY * weight
            weight -= rate * corrected / root


def train(size, texts, seed, steps, batch=24, rate=4e-3, progress=None):
    """Return the weights of a model trained on texts (lists of tokens).

    progress: called as progress(step, loss, model) after each step.
    """
    random = np.random.default_rng(seed)
    model = Llama(size, initial_weights(size, random))
    optimizer = AdamW(model.weights)
    for step in range(steps):
        chosen = padded([texts[i] for i in random.integers(len(texts), size=batch)])
        gradients = {}
        loss = model.loss(chosen, gradients)
        decay = 0.5 + 0.5 * math.cos(math.pi * step / steps)
        optimizer.step(gradients, rate * min(1, (step + 1) / _WARM_UP) * decay + 1e-5)
        if progress:
            progress(step, loss, model)
    return model.weights
