"""The characters that the recognizer reads, and texts in a form that one image has only once."""

RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
LATIN = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
PUNCTUATION = ".,:;-–—()/\\\"«»„“”№%+=×*²³°'&#<>!?_|[]@$€£½~"
CHARACTERS = DIGITS + RUSSIAN + RUSSIAN.upper() + LATIN + LATIN.upper() + PUNCTUATION + " "
"""Class 0 of the network is blank; class i + 1 is character i."""
CLASS_OF = {character: i + 1 for i, character in enumerate(CHARACTERS)}

_SAME = {"−": "–", "’": "'", "‘": "'", "`": "'", "‑": "-", "\u00a0": " ", "‚": ",", "…": "...", "•": "*", "º": "°"}
_LATIN_TWINS = "aceopxyABCEHKMOPTX"
_CYRILLIC_TWINS = "асеорхуАВСЕНКМОРТХ"
_TO_CYRILLIC = str.maketrans(_LATIN_TWINS, _CYRILLIC_TWINS)
_TO_LATIN = str.maketrans(_CYRILLIC_TWINS, _LATIN_TWINS)
_ROMAN = set("IVX")


def normalize(text):
    """Text with the characters of the alphabet, or None if it has others."""
    for one, other in _SAME.items():
        text = text.replace(one, other)
    text = " ".join(text.split())
    return text if text and all(character in CLASS_OF for character in text) else None


def settle_twins(text):
    """
    Words that look the same in both scripts become Latin if all other words with letters are Latin, otherwise Cyrillic. A lone
    letter has no script of its own.
    """
    words = text.split(" ")
    scripts = [_script_of(word) for word in words]
    is_latin = "latin" in scripts and "cyrillic" not in scripts
    settled = []
    for word, script in zip(words, scripts):
        if script == "twins" and not (len(word) > 1 and set(word) <= _ROMAN):
            word = word.translate(_TO_LATIN if is_latin else _TO_CYRILLIC)
        settled.append(word)
    return " ".join(settled)


def _script_of(word):
    letters = [one for one in word if one.isalpha()]
    if not letters:
        return "none"
    if all(one in _LATIN_TWINS or one in _CYRILLIC_TWINS for one in letters):
        return "twins"
    return "latin" if any("a" <= one.lower() <= "z" and one not in _LATIN_TWINS for one in letters) else "cyrillic"


def fold(text):
    """Text for comparisons in which twins, dashes and quotation marks are the same."""
    text = text.translate(_TO_CYRILLIC)
    for dash in "–—−":
        text = text.replace(dash, "-")
    for quote in "«»„“”'":
        text = text.replace(quote, '"')
    return text.replace('""', '"').replace(" ", "")
