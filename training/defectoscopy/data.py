"""The labelled images in memory, and how an image becomes the network's input.

Input rule, the same in training and in serving (there with sharp): upright by EXIF, three 8-bit sRGB channels, the
whole image squashed to SIZE x SIZE, so that a heatmap covers the whole photo. An axis that shrinks is filtered with
Lanczos (a = 3), one that grows with a cubic (a = -0.5): sharp's defaults.
"""
import csv
import io
import os
import re
import tarfile

import numpy as np
import torch
from PIL import Image, ImageOps

import taxonomy

SIZE = 256  # pixels; the concrete images are 256 wide, and thin cracks do not survive shrinking


def load(folder, log=print):
    """All rows of labels.csv with `image` (PIL, native size) and `classes` (int64 [3]), read straight from the tars."""
    rows = list(csv.DictReader(open(os.path.join(folder, "labels.csv"), newline="")))
    by_file = {row["file"]: row for row in rows}
    for name in sorted({row["file"].split("/")[0] for row in rows}):
        with tarfile.open(os.path.join(folder, name + ".tar")) as tar:
            for member in tar:
                row = by_file.get(member.name.removeprefix("./"))
                if row and member.isfile():
                    image = ImageOps.exif_transpose(Image.open(io.BytesIO(tar.extractfile(member).read())))
                    row["image"] = image.convert("RGB")
                    row["set"] = name
                    row["classes"] = taxonomy.classes(row)
    missing = [row["file"] for row in rows if "image" not in row]
    if missing:
        raise SystemExit(f"{len(missing)} images of labels.csv are missing in the tars, for example {missing[0]}")
    groups = {}
    for row in rows:
        if groups.setdefault(row["group"], row["split"]) != row["split"]:
            raise SystemExit(f"group {row['group']} is in two splits, which would inflate the accuracy")
    left_out = leave_out(rows)
    log(f"{len(rows)} images, {left_out} of them left out of training or validation")
    return rows


def leave_out(rows):
    """Remove images from train that show a photo of val or test, and from val those of test. Return their number.

    The groups of labels.csv are unique within a data set only. Part of wall-crack-types are tiles of SDNET2018 photos, named
    by photo and tile (7004-157_jpg...), and some of these photos are in another split of sdnet2018. The test split does not
    change.
    """
    rank = {"train": 0, "val": 1, "test": 2}
    photos = {row["group"].split(":")[2]: rank[row["split"]] for row in rows if row["set"] == "sdnet2018"}
    count = 0
    for row in rows:
        if photos.get(sdnet_photo(row), 0) > rank[row["split"]]:
            row["split"] = "left out"
            count += 1
    return count


def sdnet_photo(row):
    """Number of the SDNET2018 photo that a row of wall-crack-types is a tile of; None if it is its own photo."""
    tile = re.match(r"(\d+)-\d+_jpg", os.path.basename(row["file"])) if row["set"] == "wall-crack-types" else None
    return tile and tile[1]


def contradicted(row):
    """Whether this is a tile of a pavement (three digits) or bridge deck (up to 7068) in SDNET2018, not of a wall."""
    photo = sdnet_photo(row)
    return photo is not None and int(photo) < 7069


def enlargement(extent, size):
    """Weights [size,extent] of libvips' enlargement of one axis: Catmull-Rom cubic, edge pixels repeated.

    Output pixel i is read at i * extent / size - 0.5. libvips shifts by half an input pixel, where other programs read at
    (i + 0.5) * extent / size - 0.5; and it shifts an axis that keeps its length too, if the other one grows.
    """
    at = np.arange(size) * extent / size - 0.5
    weights = np.zeros((size, extent))
    for tap in range(-1, 3):
        source = np.floor(at).astype(int) + tap
        d = np.abs(at - source)
        value = np.where(d < 1, 1.5 * d**3 - 2.5 * d**2 + 1, np.where(d < 2, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2, 0))
        np.add.at(weights, (np.arange(size), source.clip(0, extent - 1)), value)
    return weights.astype(np.float32)


def squash(image, size=SIZE):
    """The input rule, uint8 [size,size,3]: the whole image stretched to the square as sharp does it."""
    shrunk = (min(size, image.width), min(size, image.height))
    if shrunk != image.size:
        image = image.resize(shrunk, Image.LANCZOS)
    pixels = np.asarray(image)
    if shrunk == (size, size):
        return pixels
    rows, columns = enlargement(shrunk[1], size), enlargement(shrunk[0], size)
    pixels = np.einsum("yh,hwc->ywc", rows, pixels.astype(np.float32), optimize=True)
    pixels = np.einsum("xw,ywc->yxc", columns, pixels, optimize=True)
    return (pixels + 0.5).clip(0, 255).astype(np.uint8)


def tensor(images):
    """uint8 [N,S,S,3] -> float32 [N,3,S,S] in -1..1, in the memory layout the convolutions are fastest with."""
    batch = torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2)  # channels last: no copy
    return batch.float().div_(127.5).sub_(1)


def augment(image, rng, size=SIZE, least=0.6):
    """Random augmentation, uint8 [size,size,3]: crop of at least `least` of the area, one of 8 symmetries, brightness.

    None of the defects or surfaces depends on the direction it is seen from. Small crops could lose the crack.
    """
    width, height = image.size
    area = rng.uniform(least, 1) * width * height
    ratio = np.exp(rng.uniform(np.log(3 / 4), np.log(4 / 3))) * width / height
    w, h = min(width, np.sqrt(area * ratio)), min(height, np.sqrt(area / ratio))
    left, top = rng.uniform(0, width - w), rng.uniform(0, height - h)
    filter = Image.LANCZOS if w > size and h > size else Image.BICUBIC
    view = np.asarray(image.resize((size, size), filter, (left, top, left + w, top + h)))
    view = np.rot90(view, rng.integers(4))
    if rng.random() < 0.5:
        view = view[:, ::-1]
    # Light as a table of 256 values for each channel: brightness, contrast about the middle, a slight cast. Little of
    # it: the hue of the concrete tells the surfaces apart, and twice as much looked worse on val in short runs.
    gain = np.exp(rng.uniform(-0.12, 0.12)) * np.exp(rng.normal(0, 0.015, 3))
    shift = rng.uniform(-10, 10)
    levels = np.arange(256)[:, None]
    table = np.clip((levels - 128) * gain + 128 + shift, 0, 255).astype(np.uint8)
    return np.stack([table[view[..., c], c] for c in range(3)], -1)
