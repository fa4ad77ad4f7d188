# What is said: the words, others that are not to be taken for them, and clips of all of it
# MIT license; Copyright (c) 2026 the tflm authors

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from tflm_tools.training.voices import ACCENTS, say

LABELS = ("silence", "unknown", "yes", "no", "stop")
WORDS = LABELS[2:]

# What the model must not take for a word: everyday words, and some that sound like ours.
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
    """List of (label index, samples): every speaker says each word `each` times, and as many
    others as all words together; accents, speeds and pitches at random.
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
