"""Renders texts as the product's crops of words: printed, scanned or photographed, cleaned, scaled and cut out."""

import io
import math
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from texts import Texts

HEIGHT = 32
"""Of the network's input in pixels. The product's lines are about 24 pixels high."""
MAX_WIDTH = 640
VIEW_DPI = 300
"""Of the product's deskewed page."""
LETTER_HEIGHT = 10.5
"""The product scales the page until its letters have this median height, in pixels."""
MARGIN_ACROSS, MARGIN_DOWN = 4, 8
"""As MARGIN in text-regions.ts."""

_WEIGHTS = [
    ("LiberationSans-", 5), ("LiberationSerif", 6), ("LiberationMono", 2), ("LiberationSansNarrow", 1.5), ("DejaVuSans-", 2),
    ("DejaVuSans.", 2), ("DejaVuSansC", 1), ("DejaVuSansMono", 1), ("DejaVuSerif", 2), ("PTS", 3), ("PTF", 3), ("PTM", 1), ("PTN", 1),
    ("PTC", 1), ("PTZ", 0.5), ("FreeSerif", 2), ("FreeSans", 1), ("FreeMono", 1), ("NotoSans", 2), ("NotoSerif", 2),
    ("Roboto-", 2), ("RobotoCondensed", 1), ("OpenSans", 2),
]


def font_files(folder):
    """Paths of the fonts and their probabilities: those of the families of generator/style.mjs, half of them for regular styles."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".ttf"))
    families = [next((i for i, (start, _) in enumerate(_WEIGHTS) if name.startswith(start)), None) for name in names]
    weights = []
    for name, family in zip(names, families):
        mates = families.count(family)
        is_regular = not any(style in name for style in ("Bold", "Italic", "Oblique", "Light", "Thin", "Black", "75F", "76F", "77F", "56F"))
        weights.append(0 if family is None else _WEIGHTS[family][1] * (mates if is_regular else 1) / mates)
    weights = np.array(weights)
    return [os.path.join(folder, name) for name in names], weights / weights.sum()


class Renderer:
    """Renders random samples; each worker process has one with a seed of its own."""

    def __init__(self, fonts_folder, phrases, seed):
        self.rng = np.random.default_rng(seed)
        self.texts = Texts(phrases, seed)
        self.files, self.weights = font_files(fonts_folder)
        self.fonts = {}

    def sample(self):
        """`(image, text)`: uint8 of HEIGHT rows, and what it shows."""
        while True:
            text = self.texts.sample()
            image = self.render(text)
            if image is not None:
                return image, text

    def render(self, text):
        """The crop of a text; None if nothing of it is visible."""
        page = self._choose_page()
        sheet, left, right = self._print(text, page)
        return self._cut(self._clean(self._scan(sheet, page), page), page, left, right)

    def _choose_page(self):
        """How the page of the word is printed, scanned and scaled."""
        r = self.rng
        is_photo = r.random() < 0.5
        dpi = float(r.choice([180, 200, 230] if is_photo else [150, 200, 200, 250, 300]))
        size = max(9, int(round(r.uniform(6, 14.5) / 72 * dpi)))
        body = size if r.random() < 0.65 else size / r.uniform(0.75, 1.7)
        letter = body * (r.uniform(0.48, 0.57) if r.random() < 0.7 else r.uniform(0.57, 0.74))
        height = LETTER_HEIGHT if r.random() < 0.75 else r.uniform(10, 18)
        scale = min(1.0, height / (letter * VIEW_DPI / dpi))
        paper = r.uniform(175, 240) if is_photo else r.uniform(215, 252)
        ink = r.uniform(15, 110 if r.random() < 0.2 else 55)
        if r.random() < 0.1:
            ink += r.uniform(0, 0.45) * (paper - ink)
        return {"is_photo": is_photo, "dpi": dpi, "size": size, "scale": scale, "paper": paper, "ink": ink}

    def _font(self, size):
        path = self.files[self.rng.choice(len(self.files), p=self.weights)]
        if (path, size) not in self.fonts:
            if len(self.fonts) > 6000:
                self.fonts.clear()
            self.fonts[path, size] = ImageFont.truetype(path, size)
        return self.fonts[path, size]

    def _print(self, text, page):
        """A line of print (white on black) with the text and its neighbours; where the text begins and ends."""
        r = self.rng
        size = page["size"]
        font = self._font(size)
        before = self.texts.sample()[-5:].strip() if r.random() < 0.5 else ""
        after = self.texts.sample()[:5].strip() if r.random() < 0.5 else ""
        gap = font.getlength(" ") * (1 if r.random() < 0.7 else r.uniform(0.7, 3))
        spacing = r.uniform(0, 0.12) * size if r.random() < 0.06 else 0
        width = font.getlength(text) + spacing * len(text)
        from_left = font.getlength(before) + gap if before else 0
        to_right = font.getlength(after) + gap if after else 0
        pad = 0.6 * size
        sheet = Image.new("L", (int(from_left + width + to_right + 2 * pad), int(2.1 * size)), 0)
        draw = ImageDraw.Draw(sheet)
        x, baseline = pad + from_left + r.random(), int(1.4 * size)
        if before:
            draw.text((x - from_left, baseline), before, 255, font=font, anchor="ls")
        if spacing:
            at = x
            for letter in text:
                draw.text((at, baseline), letter, 255, font=font, anchor="ls")
                at += font.getlength(letter) + spacing
        else:
            draw.text((x, baseline), text, 255, font=font, anchor="ls")
        if after:
            draw.text((x + width + gap, baseline), after, 255, font=font, anchor="ls")
        self._draw_rules(draw, sheet.size, baseline, x, x + width, size)
        sheet, x, width = self._slant(sheet, x, width, size)
        return sheet, x, x + width

    def _draw_rules(self, draw, sheet_size, baseline, left, right, size):
        """Remains of underlines and cell borders, and of the lines above and below."""
        r = self.rng
        if r.random() < 0.08:
            y = baseline + r.uniform(0.08, 0.3) * size
            a, b = sorted(r.uniform(left - size, right + size, 2)) if r.random() < 0.7 else (0, sheet_size[0])
            draw.line([(a, y), (b, y + r.uniform(-1, 1))], fill=int(r.uniform(90, 255)), width=int(r.choice([1, 1, 2, 3])))
        if r.random() < 0.05:
            x = left - r.uniform(0.15, 0.5) * size if r.random() < 0.5 else right + r.uniform(0.15, 0.5) * size
            top = baseline - r.uniform(0.2, 1.2) * size
            draw.line([(x, top), (x, top + r.uniform(0.3, 1.6) * size)], fill=int(r.uniform(90, 255)), width=int(r.choice([1, 1, 2])))
        if r.random() < 0.08:
            y = baseline - r.uniform(0.95, 1.3) * size if r.random() < 0.5 else baseline + r.uniform(0.3, 0.6) * size
            for _ in range(r.integers(1, 5)):
                x = r.uniform(left, right)
                draw.line([(x, y), (x + r.uniform(0, 0.2) * size, y + r.uniform(0, 0.1) * size)], fill=255, width=int(max(1, size // 14)))

    def _slant(self, sheet, left, width, size):
        """Turns, slants and stretches a little, with bilinear interpolation as the product's deskewing."""
        r = self.rng
        stretch = r.uniform(0.92, 1.1) if r.random() < 0.3 else 1.0
        angle = r.normal(0, 0.0035)
        shear = r.uniform(-0.15, 0.3) if r.random() < 0.06 else r.normal(0, 0.008)
        middle_x, middle_y = left + width / 2, 1.1 * size
        cos, sin = math.cos(angle), math.sin(angle)
        a, b = cos / stretch, shear - sin
        new_width = int(sheet.width * stretch)
        new_middle = middle_x * stretch
        dy = r.random()
        matrix = (a, b, middle_x - a * new_middle - b * middle_y, sin, cos, middle_y - sin * new_middle - cos * middle_y + dy)
        turned = sheet.transform((new_width, sheet.height), Image.AFFINE, matrix, Image.BILINEAR)
        return turned, left * stretch, width * stretch

    def _scan(self, sheet, page):
        """Ink on paper, light, noise, blur and JPEG as degrade.mjs."""
        r = self.rng
        if r.random() < 0.3:
            # Spread or thin ink.
            changed = sheet.filter(ImageFilter.MaxFilter(3) if r.random() < 0.55 else ImageFilter.MinFilter(3))
            sheet = Image.blend(sheet, changed, r.uniform(0.1, 0.6 if page["size"] > 24 else 0.35))
        width, height = sheet.size
        share = np.asarray(sheet, dtype=np.float32) / 255
        if r.random() < 0.12:
            # Worn print.
            coarse = Image.fromarray((r.random((height // 3 + 1, width // 3 + 1)) * 255).astype(np.uint8)).resize((width, height), Image.BILINEAR)
            share = share * (1 - r.uniform(0.2, 0.9) * (np.asarray(coarse, dtype=np.float32) / 255) ** 2)
        value = page["paper"] + (page["ink"] - page["paper"]) * share
        slope = 0.06 if page["is_photo"] else 0.015
        value = value * (1 + r.uniform(-slope, slope) * np.linspace(-1, 1, width, dtype=np.float32))
        noise = r.uniform(0, 8 if page["is_photo"] else 12)
        value = value + (r.random(value.shape, dtype=np.float32) - 0.5) * 2 * noise
        image = Image.fromarray(np.clip(value, 0, 255).astype(np.uint8))
        most = 0.8 if page["is_photo"] else 0.6
        image = image.filter(ImageFilter.GaussianBlur(0.3 + r.random() * most * (1.7 if r.random() < 0.25 else 1)))
        file = io.BytesIO()
        image.save(file, "JPEG", quality=int(r.integers(30, 86)))
        return Image.open(file)

    def _clean(self, image, page):
        """Makes paper white, as background.ts and preprocess.ts."""
        r = self.rng
        gain = 255 / page["paper"] * r.uniform(0.98, 1.04)
        ink = page["ink"] * gain
        threshold = min(205, max(110, (ink + 255) / 2 + r.uniform(-20, 20)))
        white = (threshold + 255) / 2
        factor = gain * 255 / white
        image = image.point([min(255, int(i * factor)) for i in range(256)])
        return self._erase_rules(image, page["size"]) if r.random() < 0.16 else image

    def _erase_rules(self, image, size):
        """The product erases rules, and with them parts of the letters that touch or cross them."""
        r = self.rng
        pixels = np.array(image)
        baseline = 1.4 * size
        if r.random() < 0.75:
            y = baseline + size * r.choice([-0.74, -0.7, -0.52, 0, 0.05, r.uniform(-0.75, 0.2)]) + r.normal(0, 0.03) * size
            thick = max(1.0, r.uniform(0.03, 0.17) * size)
            stripe = np.s_[max(0, int(y - thick / 2)) : int(y + thick / 2) + 1]
            ends = sorted(r.integers(0, image.width + 1, 2)) if r.random() < 0.6 else (0, image.width)
            part = pixels[stripe, ends[0] : ends[1]]
            pixels[stripe, ends[0] : ends[1]] = 255 - (255 - part) * (0 if r.random() < 0.7 else r.uniform(0, 0.5))
        else:
            x = r.integers(0, image.width)
            pixels[:, x : x + max(1, int(r.uniform(0.03, 0.12) * size))] = 255
        return Image.fromarray(pixels)

    def _cut(self, image, page, left, right):
        """The crop of the text as cropRegion and cropWord make it, scaled to HEIGHT."""
        r = self.rng
        to_view = VIEW_DPI / page["dpi"]
        scale = to_view * page["scale"]
        pixels = np.asarray(image)
        inked = np.flatnonzero((pixels < 200).any(axis=1))
        if len(inked) == 0:
            return None
        visible = 2 / to_view
        top, bottom = inked[0] - visible, inked[-1] + 1 + visible
        # Higher letters and other lines in the same region.
        if r.random() < 0.25:
            top -= r.uniform(0, 0.5) * page["size"]
        if r.random() < 0.2:
            bottom += r.uniform(0, 0.5) * page["size"]
        width, height = max(2, round((right - left) * scale)), max(3, round((bottom - top) * scale))
        reach = 6
        box = (left - reach / scale, top, left + (width + reach) / scale, bottom)
        line = _resize_box(image, box, (width + 2 * reach, height), Image.BOX if scale < 0.8 else Image.BILINEAR)
        pixels = np.asarray(line)
        cut_left = self._edge(pixels, reach + r.normal(0, 0.8), -1)
        cut_right = self._edge(pixels, reach + width + r.normal(0, 0.8), 1)
        pixels = pixels[:, cut_left:cut_right]
        if pixels.shape[1] < 2 or pixels.min() > 225:
            return None
        down = max(1, round((MARGIN_DOWN - 2) * page["scale"]))
        framed = np.full((height + 2 * down, pixels.shape[1] + 2 * MARGIN_ACROSS), 255, np.uint8)
        framed[down : down + height, MARGIN_ACROSS:-MARGIN_ACROSS] = pixels
        return normalize_height(Image.fromarray(framed))

    def _edge(self, pixels, edge, outward):
        """The lightest column near the edge of the box, as lightestColumn in re-ocr.ts."""
        edge = math.floor(edge) if outward < 0 else math.ceil(edge)
        most = 6 if self.rng.random() < 0.9 else self.rng.integers(0, 4)
        light = pixels.sum(axis=0, dtype=np.int64)
        best, lightest = edge, -1
        for step in range(most + 1):
            border = edge + outward * step
            if border <= 0 or border >= len(light):
                return min(len(light), max(0, border))
            column = light[border if outward > 0 else border - 1]
            if column > lightest + len(pixels):
                best, lightest = border, column
        return best


def _resize_box(image, box, size, filter):
    """Image.resize with a box that may lie outside of the image; white there."""
    left, top, right, bottom = box
    pad = [max(0, math.ceil(-left)), max(0, math.ceil(-top)), max(0, math.ceil(right - image.width)), max(0, math.ceil(bottom - image.height))]
    if any(pad):
        wide = Image.new("L", (image.width + pad[0] + pad[2], image.height + pad[1] + pad[3]), 255)
        wide.paste(image, (pad[0], pad[1]))
        image, box = wide, (left + pad[0], top + pad[1], right + pad[0], bottom + pad[1])
    return image.resize(size, filter, box=box)


def normalize_height(image):
    """uint8 of HEIGHT rows and at most MAX_WIDTH columns."""
    width = max(8, min(MAX_WIDTH, round(HEIGHT * image.width / image.height)))
    return np.asarray(image.resize((width, HEIGHT), Image.BICUBIC))
