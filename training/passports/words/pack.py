"""Packs the crops of crops.mjs: python3 pack.py crops.npz FOLDER…"""

import json
import os
import sys

import numpy as np

from alphabet import fold, normalize, settle_twins


def load_crops(path):
    """Objects with `image` (uint8), `truth`, Tesseract's `text` and `confidence`, `product` (text), `isValidation` and `isRandom`."""
    with np.load(path) as file:
        pixels, described = file["pixels"], json.loads(bytes(file["described"]).decode("utf-8"))
    at = 0
    for crop in described:
        area = crop["width"] * crop["height"]
        crop["image"] = pixels[at : at + area].reshape(crop["height"], crop["width"])
        at += area
    return described


def _read(folder):
    pixels = np.fromfile(os.path.join(folder, "crops.bin"), np.uint8)
    at = 0
    with open(os.path.join(folder, "crops.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return
            crop = json.loads(line)
            area = crop["width"] * crop["height"]
            if at + area > len(pixels):
                return
            yield crop, pixels[at : at + area]
            at += area


def is_doubtful(truth, text):
    """Whether Tesseract reads only the last sign less: its box, and so the crop, ends before it."""
    return not truth[-1].isalnum() and fold(truth[:-1]) == fold(text)


if __name__ == "__main__":
    target, *folders = sys.argv[1:]
    described, pixels = [], []
    for folder in folders:
        for crop, image in _read(folder):
            text = normalize(crop["truth"])
            if text is None or len(text) > 40 or crop["height"] < 8:
                continue
            if is_doubtful(text, crop["text"]):
                continue
            # Tesseract has no spaces in words, so several words are no measure of it.
            crop["isRandom"] = crop["isRandom"] and " " not in text
            described.append({**crop, "truth": settle_twins(text)})
            pixels.append(image)
    text = np.frombuffer(json.dumps(described, ensure_ascii=False).encode("utf-8"), np.uint8)
    np.savez_compressed(target, pixels=np.concatenate(pixels), described=text)
    validation = sum(crop["isValidation"] for crop in described)
    print(f"{len(described)} crops, {validation} of validation pages, {os.path.getsize(target) / 1e6:.1f} MB")
