"""Reduces the installed fonts of generator/style.mjs to the alphabet: python3 fonts.py OUT_FOLDER (needs fonttools)"""

import glob
import os
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

from alphabet import CHARACTERS

PATTERNS = [
    "dejavu/DejaVuS*", "freefont/Free*", "liberation/*", "open-sans/*", "paratype/*", "roboto/unhinted/*", "roboto/unhinted/RobotoTTF/*",
    *(f"noto/Noto{family}-{style}" for family in ("Sans", "Serif") for style in ("Regular", "Bold", "Italic", "BoldItalic")),
]

if __name__ == "__main__":
    target = sys.argv[1]
    os.makedirs(target, exist_ok=True)
    for path in sorted(path for pattern in PATTERNS for path in glob.glob(f"/usr/share/fonts/truetype/{pattern}.ttf")):
        font = TTFont(path, lazy=True)
        options = subset.Options(layout_features=["kern"], notdef_outline=True)
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=CHARACTERS)
        subsetter.subset(font)
        font.save(os.path.join(target, os.path.basename(path)))
