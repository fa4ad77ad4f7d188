# The spoken examples: the keywords, other words and phrases, and clips of them
# MIT license; Copyright (c) 2026 the tflm authors

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from tflm_tools.training.voices import ACCENTS, say

LABELS = ("silence", "unknown", "yes", "no", "stop")
WORDS = LABELS[2:]

# Everyday words, and words that sound similar to the keywords.
_OTHERS = (
    "up down left right on off one two three four five six seven eight nine zero cat dog bird "
    "house happy tree wow bed table water music light red blue green hello please thanks "
    "yet yesterday chess guess mess less west yellow you nose note now new snow nut low own "
    "top step stock star store stamp spot shop stay still hot"
)
OTHERS = tuple(_OTHERS.split())
PHRASES = (
    "what time is it",
    "the weather is fine today",
    "turn the light on please",
    "I would like a cup of tea",
    "where did you put the keys",
    "she sells sea shells",
    "open the window",
    "we are going home",
    "a quick brown fox",
    "call me tomorrow morning",
    "play some music",
    "how are you doing",
)


def clips(speakers, each, seed):
    """Return a list of (label index, samples).

    Each speaker says each keyword `each` times, and twice as many other texts as keywords, with
    random accents, speeds and pitches.
    """
    random = np.random.RandomState(seed)
    jobs = []
    for speaker in speakers:
        texts = [(i + 2, word) for i, word in enumerate(WORDS) for _ in range(each)]
        others = random.permutation(OTHERS)[: each * 5]
        texts += [(1, word) for word in others]
        texts += [(1, phrase) for phrase in random.permutation(PHRASES)[:each]]
        for label, text in texts:
            text += random.choice(["", ".", "!", "?"])
            accent = random.choice(ACCENTS)
            speed, pitch = random.randint(110, 210), random.randint(20, 85)
            jobs.append((label, text, accent, speaker, speed, pitch))
    with ThreadPoolExecutor(2) as pool:
        spoken = pool.map(lambda job: say(*job[1:]), jobs)
        return [(job[0], samples) for job, samples in zip(jobs, spoken, strict=True)]
