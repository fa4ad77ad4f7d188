# Write the stories that train the language model: six plots, filled in by a random generator
# MIT license; Copyright (c) 2026 the tflm authors

import random
import sys

_CHILDREN = (
    ("Mia", "girl", "she", "her"),
    ("Tom", "boy", "he", "his"),
    ("Anna", "girl", "she", "her"),
    ("Ben", "boy", "he", "his"),
    ("Zoe", "girl", "she", "her"),
    ("Max", "boy", "he", "his"),
)
_ANIMALS = ["cat", "dog", "fox", "frog", "bird", "rabbit", "mouse", "duck", "bear", "horse"]
_LOCATIONS = (
    ("the park", "trees"),
    ("the beach", "rocks"),
    ("the forest", "leaves"),
    ("the garden", "flowers"),
    ("the lake", "boats"),
    ("the hill", "stones"),
    ("the farm", "cows"),
    ("the market", "apples"),
)
_THINGS = (
    "ball",
    "kite",
    "hat",
    "book",
    "boat",
    "drum",
    "cake",
    "lamp",
    "box",
    "bell",
    "key",
    "shell",
)
_COLORS = (
    "red",
    "blue",
    "green",
    "yellow",
    "white",
    "black",
    "golden",
)
_SIZES = ["big", "small", "shiny", "old", "new", "soft", "strange"]
_GOOD = (("happy", "smiled"), ("glad", "laughed"), ("proud", "danced"))
_BAD = (("sad", "cried"), ("scared", "hid"), ("tired", "sat down"), ("angry", "stamped"))
_TIMES = (
    "One day",
    "One morning",
    "One sunny day",
    "One afternoon",
    "On a cold day",
    "After lunch",
)
_LESSONS = (
    "help",
    "share",
    "be kind",
    "tell the truth",
    "try again",
    "say thank you",
    "wait",
)

# Each sentence is a choice of templates, separated by "|". The words in braces are the keys of
# _words(). A word in capitals starts a sentence.
_BEGINNINGS = (
    "Once upon a time, there was a little {child} named {name}.|"
    "There once was a {child} called {name}.|"
    "{name} was a little {child} who loved {place}.",
    "{He} liked to look at the {seen}.|{He} had a {size} {color} {thing}.|"
    "Every day {he} played near {place}.",
    "{time}, {name} went to {place}.",
)
_PLOTS = {
    "lost": (
        "{name} lost {his} {color} {thing} there.",
        "{name} was {bad} and {cried}.",
        'A {size} {animal} came and asked, "Why are you {bad}, {name}?"|'
        'A {animal} saw {name} and said, "Do not be {bad}."',
        '"I cannot find my {thing}," said {name}.',
        "The {animal} looked under the {seen} and found it.|"
        "Together they looked behind the {seen}. There it was!",
        "{name} was {good} and {smiled}.",
        '"Thank you, {animal}!" said {name}.',
    ),
    "share": (
        "There {name} met {friend}.",
        "{friend} had a {color} {thing}.",
        '"Can I play with your {thing}?" asked {name}.',
        '"No," said {friend}. {name} was {bad}.|{friend} did not want to share. {name} {cried}.',
        'Then {friend} thought about it. "I am sorry, {name}," said {friend}. "We can share."',
        "{name} and {friend} played with the {thing} until it was dark.",
        "{name} and {friend} were {good}.",
    ),
    "found": (
        "{name} saw a {size} {animal} near the {seen}.",
        "The {animal} was {bad}.",
        '"Hello, little {animal}," said {name}. "Are you hungry?"|'
        '"Do you want to be my friend?" asked {name}.',
        "{name} gave the {animal} some bread.",
        "The {animal} ate it all.|The {animal} liked the bread.",
        "Now the {animal} was not {bad} any more.",
        "From that day on, {name} and the {animal} were friends.",
    ),
    "make": (
        "{name} wanted to make a {thing}.",
        "{name} took some wood and {color} paint.",
        "First it fell down. {name} was {bad}.",
        '{His} friend {friend} said, "Try again, {name}!"|'
        '{His} friend {friend} said, "Do not stop. I will help you."',
        "So {name} tried again. This time the {thing} was {size} and {color}.",
        '{name} {smiled}. "Look, {friend}! Look what we made!"',
        "{name} and {friend} were {good}.",
    ),
    "storm": (
        "Then it began to rain.|Then the wind began to blow.|Then the sky turned dark.",
        "{name} was {bad}.",
        "{name} saw a {size} house with a {color} door.",
        "A kind old {animal} lived there.",
        '"Come in, {name}," said the {animal}. "You can stay with me."',
        "{name} and the {animal} ate cake and told stories.",
        "When the sun came back, {name} went home. {name} was {good}.",
    ),
    "gift": (
        "It was the birthday of {friend}.",
        "{name} had a {size} {thing} for {friend}.",
        "A {animal} took the {thing} and ran behind the {seen}.",
        '"Stop, {animal}!" said {name}. {name} was {bad}.',
        "The {animal} was {bad}, too. It only wanted to play.",
        '"Come with me," said {name}. {name} and the {animal} went to {friend}.',
        '"What a {size} {thing}!" said {friend}. "Thank you, {name}!"',
    ),
}
_END = (
    "{name} learned to {lesson}.|The end.|{name} never forgot that day.|"
    "And they all slept well that night."
)


# The words of one story: {key: word}.
def _words(random):
    choice = random.choice
    (name, child, he, his), (friend, *_) = random.sample(_CHILDREN, 2)
    location, seen = choice(_LOCATIONS)
    good, smiled = choice(_GOOD)
    bad, cried = choice(_BAD)
    return {
        "name": name,
        "child": child,
        "he": he,
        "He": he.capitalize(),
        "his": his,
        "His": his.capitalize(),
        "friend": friend,
        "animal": choice(_ANIMALS),
        "place": location,
        "seen": seen,
        "thing": choice(_THINGS),
        "color": choice(_COLORS),
        "size": choice(_SIZES),
        "good": good,
        "smiled": smiled,
        "bad": bad,
        "cried": cried,
        "time": choice(_TIMES),
        "lesson": choice(_LESSONS),
    }


def story(random):
    """Return a story of about 80 words; `random`: a random.Random."""
    words = _words(random)
    plot = _PLOTS[random.choice(sorted(_PLOTS))]
    sentences = (*_BEGINNINGS, *plot, _END)
    return " ".join(random.choice(each.split("|")).format(**words) for each in sentences)


def stories(count, seed):
    """Return `count` stories; the same seed gives the same stories."""
    generator = random.Random(seed)
    return [story(generator) for _ in range(count)]


if __name__ == "__main__":
    print("\n".join(stories(int(sys.argv[1]), int(sys.argv[2]))))
