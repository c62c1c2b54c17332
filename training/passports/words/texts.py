"""Random texts for the recognizer: phrases of generated pages, and strings that no language model can guess."""

import lzma
import random
import string

from alphabet import CHARACTERS, LATIN, RUSSIAN, normalize, settle_twins

MAX_LENGTH = 40
SIGNS = ".,:;-–()/\\\"«»№%+=×*²³°'&#<>!?_|"


def read_phrases(path):
    """The output of texts.mjs, compressed with xz."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [phrase for phrase in map(normalize, file) if phrase]


class Texts:
    """Samples texts of 1 to MAX_LENGTH characters. `phrases` are those of `read_phrases`."""

    def __init__(self, phrases, seed):
        self.random = random.Random(seed)
        self.phrases = phrases

    def sample(self):
        r = self.random
        kind = r.random()
        if kind < 0.47:
            text = self._recased(self._phrase())
        elif kind < 0.60:
            text = self._changed(self._phrase())
        elif kind < 0.75:
            text = r.choice(NUMBERS)(r)
        elif kind < 0.85:
            text = r.choice(CODES)(r)
        else:
            text = " ".join(_letters(r) for _ in range(r.choice([1, 1, 1, 2])))
        text = normalize(text[:MAX_LENGTH]) or "1"
        return settle_twins(text)

    def _phrase(self):
        """Half of the product's crops are lone words."""
        phrase = self.random.choice(self.phrases)
        return self.random.choice(phrase.split(" ")) if self.random.random() < 0.55 else phrase

    def _recased(self, text):
        chance = self.random.random()
        if chance < 0.14:
            return text.upper()
        if chance < 0.18:
            return text.title()
        return text.lower() if chance < 0.22 else text

    def _changed(self, text):
        """A phrase with a few characters replaced, doubled or left out, or with punctuation."""
        r = self.random
        letters = list(self._recased(text))
        for _ in range(r.choice([1, 1, 2, 3])):
            at = r.randrange(len(letters))
            old = letters[at]
            source = LATIN if old.isascii() and old.isalpha() else string.digits if old.isdigit() else RUSSIAN
            new = r.choice(source)
            new = new.upper() if old.isupper() else new
            letters[at] = r.choice([new, new, old + old, "", old + r.choice(SIGNS)])
        text = "".join(letters)
        frame = r.choice(["{}", "{}", "{}", "{}.", "{},", "{}:", "({})", "«{}»", '"{}"', "({}", "{})", "- {}", "{};", "№ {}"])
        return frame.format(text)


def _letters(r):
    """A random word of one script, rarely mixed with digits."""
    letters = RUSSIAN if r.random() < 0.7 else LATIN
    length = min(12, max(1, int(r.gauss(5, 3))))
    if r.random() < 0.1:
        letters = letters + string.digits
    if r.random() < 0.05:
        return "".join(r.choice(CHARACTERS) for _ in range(length))
    word = "".join(r.choice(letters) for _ in range(length))
    case = r.random()
    return word.upper() if case < 0.3 else word.capitalize() if case < 0.5 else word


def _digits(r, most, least=1):
    return "".join(r.choice(string.digits) for _ in range(r.randint(least, most)))


def _upper(r, length=1):
    return "".join(r.choice(RUSSIAN if r.random() < 0.8 else LATIN) for _ in range(length)).upper()


def _letter_or_figure(r):
    """Letters of buildings and rooms, and the figures that resemble them."""
    letter = r.choice("ббабвгдежзик")
    return r.choice([letter, letter, letter.upper(), r.choice("5660348")])


def _date(r):
    day, month, year = r.randint(1, 31), r.randint(1, 12), r.randint(1890, 2026)
    return r.choice(
        [f"{day:02}.{month:02}.{year}", f"{day:02}.{month:02}.{year} г.", f"{year} г.", f"{year}", f"«{day:02}»", f"{day}/{month}/{year}",
         f"{year}-{month:02}-{day:02}", f"{day:02}.{month:02}.{year % 100:02}"]
    )


NUMBERS = [
    lambda r: str(r.randint(0, 200)),
    lambda r: f"{r.randint(0, 300)},{_digits(r, 2)}",
    lambda r: f"{r.randint(0, 300)}.{_digits(r, 2)}",
    lambda r: f"{r.randint(0, 30)},{_digits(r, 2)}",
    lambda r: f"{r.randint(1, 99)} {_digits(r, 3, 3)}" + r.choice(["", ",00", f",{_digits(r, 2, 2)}", f" {_digits(r, 3, 3)}"]),
    lambda r: _digits(r, 10),
    lambda r: f"{r.randint(1, 100)}%",
    lambda r: f"{r.randint(1, 200)},{_digits(r, 1)} {r.choice(['кв.м', 'кв. м', 'м²', 'м', 'м2', 'куб. м', 'кв.м.', 'm²', 'sq. m', 'м³'])}",
    lambda r: "+".join(f"{r.randint(0, 20)},{_digits(r, 2)}" for _ in range(r.choice([2, 3]))),
    lambda r: f"{r.randint(1, 9)},{_digits(r, 2, 2)}×{r.randint(1, 9)},{_digits(r, 2, 2)}",
    lambda r: r.choice(["-", "–", "—"]),
    _date,
    _date,
]
CODES = [
    # As many б and Б as 6 and 5 after figures, hyphens and slashes.
    *[lambda r: f"{r.randint(1, 1500)}{r.choice(['-', '-', '/', ''])}{_letter_or_figure(r)}"] * 3,
    lambda r: f"{r.randint(1, 20)}-{_digits(r, 4, 3)}/{_letter_or_figure(r)}",
    lambda r: f"{_letter_or_figure(r)}{r.choice(['', '-', '/'])}{r.randint(1, 99)}",
    lambda r: f"{r.randint(1, 300)}{r.choice(RUSSIAN[:12])}",
    lambda r: f"{r.randint(1, 300)}{r.choice(RUSSIAN[:12]).upper()}",
    lambda r: f"{r.randint(1, 99):02}:{r.randint(1, 99):02}:{_digits(r, 7, 6)}:{_digits(r, 5)}",
    lambda r: f"{r.randint(1, 40)}-{r.choice(['й', 'я', 'е', 'го', 'ый', 'ая', 'м', 'х', 'этажный', 'комн.'])}",
    lambda r: r.choice(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "XI", "XII", "XX"]),
    lambda r: f"№ {r.randint(1, 300)}/{r.randint(1, 30)}",
    lambda r: f"№{_digits(r, 6)}",
    lambda r: f"{r.randint(1, 300)}/{r.randint(1, 30)}",
    lambda r: f"{_digits(r, 3)}-{_digits(r, 4)}",
    lambda r: f"{_letters(r).capitalize()} {_upper(r)}.{_upper(r)}.",
    lambda r: f"{_upper(r)}.{_upper(r)}. {_letters(r).capitalize()}",
    lambda r: f"{_upper(r)}. {_upper(r)}.",
    lambda r: _upper(r),
    lambda r: r.choice(RUSSIAN),
    lambda r: f"{r.choice(['д.', 'кв.', 'корп.', 'стр.', 'лит.', 'пом.', 'к.', 'ул.', 'пер.', 'г.', 'с.', 'дом', 'кв. №', 'эт.'])}"
    f"{r.choice([' ', ''])}{r.choice([str(r.randint(1, 300)), _letters(r).capitalize(), _upper(r)])}",
    lambda r: f"{_upper(r, r.choice([1, 2, 3]))}{r.choice(['-', '', ' '])}{_digits(r, 4)}",
    lambda r: f"{_digits(r, 3)}{_upper(r, r.choice([1, 1, 2]))}{_digits(r, 2)}",
    lambda r: f"+7 ({_digits(r, 3, 3)}) {_digits(r, 3, 3)}-{_digits(r, 2, 2)}-{_digits(r, 2, 2)}",
    lambda r: r.choice(SIGNS) * r.choice([1, 1, 3]),
    lambda r: f"{_digits(r, 2)}{r.choice(SIGNS)}{_letters(r)}",
]
