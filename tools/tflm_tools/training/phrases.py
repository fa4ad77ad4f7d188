# tflm_tools: training: chooses texts: the phrase, phrases that sound similar, and other speech
# MIT license; Copyright (c) 2026 the tflm authors

import re

import numpy as np

from ..errors import ToolError
from . import voices

_MAX_LETTERS = 40
_MAX_OTHER_WORDS = 8  # in one utterance of other speech

# Groups of letters that sound alike. A letter is replaced only by one of another group.
_VOWELS = ("ae", "iy", "ou")
_CONSONANTS = ("bp", "td", "ckgq", "fvw", "szxj", "mn", "lr", "h")

# Everyday words, from which other speech is made at random.
_WORDS = (
    "a about after again air all also always and animal another answer any apple are around as "
    "ask at away baby back bag ball bank basket be because bed before begin "
    "behind best better "  # codespell:ignore behind
    "between big bird black blue boat body book both bottle box boy bread break bring brother "
    "brown build bus but buy by cake call came can car card care carry cat chair change check "
    "cheese child city class clean clear clock close cloud coat coffee cold colour come cook "
    "corner could country course cup cut dance day deep did dinner do doctor dog door down draw "
    "dream dress drink drive dry early east easy eat egg eight end enough evening ever every "
    "eye face fall family far farm fast father feel feet few field find fire first fish five "
    "floor flower fly follow food foot for forest found four free fresh friend from front fruit "
    "full funny game garden gave get girl give glass go goes good great green ground grow guess "
    "hair half hand happy hard has hat have he head hear heart heavy help her here high hill "
    "him his hold home horse hot hour house how hundred I ice idea if in inside into is island "
    "it job jump just keep key kind king kitchen know lake land large last late laugh learn "
    "leave left leg less let letter life light like line list listen little live long look lot "
    "love low lunch machine made make man many map market may maybe me mean meat meet middle "
    "might milk mind minute miss money month moon more morning most mother mountain mouth move "
    "much music must my name near need never new next nice night nine no noise north nose not "
    "note nothing now number of off office often oil old on once one only open or orange other "
    "our out outside over own page paint pair paper park part party pass past pay people "
    "perhaps person phone picture piece place plan plant play please point poor pretty problem "
    "pull push put question quick quiet radio rain ran read ready really red remember rest rice "
    "rich ride right ring river road rock room round "  # codespell:ignore room
    "run sad said salt same sand saw say school "
    "sea second see seem sell send seven shall she sheep ship shirt shoe shop short should show "
    "side sing sister sit six sleep slow small smile snow so soap some song soon sound south "
    "speak spell spoon sport spring stand star start station stay step still stone stop story "
    "street strong student study such sugar summer sun sure sweet swim table take talk tall tea "
    "teach team tell ten "  # codespell:ignore tell
    "than thank that the their them then there these they thing think third "
    "this those thought three through ticket time tired to today together tomorrow too took top "
    "touch town train tree trip true try turn two under until up us use very video visit voice "
    "wait walk wall want warm was wash watch water way we weather week well went were west wet "
    "what wheel when where which while white who why will wind window winter wish with woman "
    "wonder wood word work world would write wrong year yellow yes yesterday yet you young your "
    "zero hey hello okay hi hallo "
)
WORDS = tuple(dict.fromkeys(_WORDS.split()))


def checked(phrase):
    """Return the phrase with single spaces. Raises ToolError if it cannot be trained."""
    words = phrase.split()
    text = " ".join(words)
    if not re.fullmatch(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*", text):
        fault = f"{phrase!r} is not a phrase" if text else "the phrase is empty"
        raise ToolError(f'{fault}; write one to four words of letters, like "hey pico"')
    if len(text) > _MAX_LETTERS or len(words) > 4:
        raise ToolError(f"{text!r} is too long for a wake word; choose one to four words")
    return text


def file_name(phrase):
    """Return the name of the phrase's files, like hey_pico."""
    return re.sub(r"[\W_]+", "_", phrase.lower())


# The text with the letter at an index replaced by one that sounds different.
def _misspelled(text, at, random):
    for groups in (_VOWELS, _CONSONANTS):
        own = [group for group in groups if text[at].lower() in group]
        if own:
            letters = "".join(group for group in groups if group not in own)
            return text[:at] + letters[random.randint(len(letters))] + text[at + 1 :]
    return text


# A text similar to the phrase: two letters or one word are replaced, a word is missing, or the
# words are rotated. One other letter could be another accent, so two letters are replaced.
def _variation(phrase, random):
    words = phrase.split()
    draw = random.uniform()
    at = random.randint(len(words))
    if draw < 0.5 or len(words) == 1:
        for index in random.permutation(np.flatnonzero([c.isalpha() for c in phrase]))[:2]:
            phrase = _misspelled(phrase, index, random)
        return phrase
    if draw < 0.85:
        words[at] = WORDS[random.randint(len(WORDS))]
    elif draw < 0.95:
        del words[at]
    else:
        words = words[1:] + words[:1]
    return " ".join(words)


def near(phrase, count, random, phonemes=voices.phonemes):
    """Return up to `count` different texts that sound similar to the phrase, but not the same.

    phonemes: a function of a list of texts that returns the pronunciation of each as a string.
    """
    texts = list(dict.fromkeys(_variation(phrase, random) for _ in range(3 * count)))
    phrase_sound, *sounds = phonemes([phrase, *texts])
    similar = [
        text for text, sound in zip(texts, sounds, strict=True) if phrase_sound not in sound
    ]
    return similar[:count]


def other(phrase, random):
    """Return two to eight everyday words in random order, without the words of the phrase."""
    own = set(phrase.lower().split())
    words = [
        WORDS[i] for i in random.randint(len(WORDS), size=random.randint(2, _MAX_OTHER_WORDS + 1))
    ]
    return " ".join(word for word in words if word not in own) or "nothing"
