# tflm_tools: decoder: computes a Llama-type model in float32 with numpy, as the reference
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np


class Decoder:
    """Runs a Checkpoint; keys and values of earlier tokens are kept until reset().

    see: called as see(name, layer, array) with each tensor whose range a quantized model needs.
    """

    def __init__(self, checkpoint, see=None):
        self.checkpoint = checkpoint
        self.see = see or (lambda name, layer, values: None)
        half = np.arange(0, checkpoint.head_dim, 2) / checkpoint.head_dim
        self._frequencies = checkpoint.theta**-half
        self.reset()

    def reset(self):
        """Forget all tokens."""
        self._keys = [None] * self.checkpoint.layers
        self._values = [None] * self.checkpoint.layers
        self.position = 0

    def forward(self, tokens):
        """Return the logits after each of these tokens, float32 [len(tokens), vocabulary]."""
        model = self.checkpoint
        x = model.weights["embedding"][np.asarray(tokens)]
        self.see("embedding", 0, x)
        for layer in range(model.layers):
            x = self._layer(x, layer)
        self.position += len(tokens)
        h = self._norm(x)
        self.see("final", 0, h)
        logits = (h * model.weights["final_norm"]) @ model.classifier.T
        self.see("logits", 0, logits)
        return logits

    def _norm(self, x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self.checkpoint.epsilon))

    def _layer(self, x, layer):
        model, w = self.checkpoint, self.checkpoint.weights
        count, group = len(x), model.heads // model.kv_heads
        h = self._norm(x)
        self.see("attention_input", layer, h)
        h = h * w["attention_norm"][layer]
        q, k, v = (h @ w[name][layer].T for name in ("query", "key", "value"))
        self.see("value", layer, v)
        q = self._rotated(q.reshape(count, model.heads, -1))
        k = self._rotated(k.reshape(count, model.kv_heads, -1))
        self.see("query", layer, q)
        self.see("key", layer, k)
        keys = self._append(self._keys, layer, k)
        values = self._append(self._values, layer, v.reshape(count, model.kv_heads, -1))
        q = q.reshape(count, model.kv_heads, group, -1)
        scores = np.einsum("ckgd,tkd->ckgt", q, keys) / np.float32(np.sqrt(model.head_dim))
        future = np.arange(len(keys))[None] > self.position + np.arange(count)[:, None]
        self.see("scores", layer, scores[np.broadcast_to(~future[:, None, None], scores.shape)])
        scores = np.where(future[:, None, None], np.float32(-np.inf), scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = np.einsum("ckgt,tkd->ckgd", weights, values).reshape(count, -1)
        self.see("mixed", layer, mixed)
        attention = mixed @ w["output"][layer].T
        self.see("attention", layer, attention)
        x = x + attention
        self.see("residual", layer, x)
        h = self._norm(x)
        self.see("feed_input", layer, h)
        h = h * w["feed_norm"][layer]
        gate, up = h @ w["gate"][layer].T, h @ w["up"][layer].T
        self.see("gate", layer, gate)
        self.see("up", layer, up)
        silu = gate / (1 + np.exp(-gate))
        self.see("silu", layer, silu)
        self.see("product", layer, silu * up)
        feed = (silu * up) @ w["down"][layer].T
        self.see("feed", layer, feed)
        x = x + feed
        self.see("residual", layer, x)
        return x

    # Rotate the pairs of the last axis by the angles of their positions.
    def _rotated(self, x):
        cos, sin = rotations(self._frequencies, self.position, len(x))
        a, b = x[..., 0::2], x[..., 1::2]
        cos, sin = cos[:, None], sin[:, None]
        return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)

    # Append to the keys or values of a layer; return all of them.
    def _append(self, lists, layer, values):
        old = lists[layer]
        lists[layer] = values if old is None else np.concatenate([old, values])
        return lists[layer]


def rotations(frequencies, first, count):
    """Return (cosines, sines) of positions first..., float32 [count, pairs]."""
    angles = np.arange(first, first + count)[:, None] * frequencies
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def sample(decoder, count, random, begin, stops, temperature=0.8):
    """Return up to `count` tokens that a Decoder writes from the token `begin` on.

    random: a numpy Generator. stops: tokens that end the text.
    """
    decoder.reset()
    tokens = [begin]
    while len(tokens) < count:
        logits = decoder.forward(tokens[-1:])[0].astype(np.float64) / temperature
        p = np.exp(logits - logits.max())
        tokens.append(int(random.choice(len(p), p=p / p.sum())))
        if tokens[-1] in stops:
            break
    return tokens


def loss(logits, targets):
    """Return the mean cross-entropy, in nats, of logits [n, vocabulary] and n tokens."""
    logits = np.asarray(logits, np.float64)
    logits = logits - logits.max(-1, keepdims=True)
    chosen = logits[np.arange(len(targets)), targets]
    return float((np.log(np.exp(logits).sum(-1)) - chosen).mean())
