"""Shards of `generator/generate.mjs`, and batches of pages with similar lengths."""
import glob
import os
import random

import numpy as np

GRAMS, NUMBERS, RELATIONS = 16, 48, 7


class Shard:
    """The pages of one file; arrays are views of the file."""

    def __init__(self, path):
        raw = np.memmap(path, dtype=np.uint8, mode="r")
        pages = int(raw[:4].view(np.int32)[0])
        self.counts = np.array(raw[4 : 4 + 4 * pages].view(np.int32))
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        total = int(self.starts[-1])
        at = 4 + 4 * pages

        def take(dtype, width):
            nonlocal at
            size = total * width * np.dtype(dtype).itemsize
            part = np.frombuffer(raw[at : at + size], dtype=dtype)
            at += size
            return part.reshape(total, width) if width > 1 else part

        self.grams = take(np.uint16, GRAMS)
        self.numbers = take(np.float32, NUMBERS)
        self.places = take(np.float32, 2)
        self.neighbours = take(np.int16, RELATIONS)
        self.classes = take(np.uint8, 1)
        self.groups = take(np.int32, 1)
        self.labels = take(np.uint8, 1)

    def page(self, i):
        a, b = self.starts[i], self.starts[i + 1]
        return {k: getattr(self, k)[a:b] for k in ("grams", "numbers", "places", "neighbours", "classes", "groups", "labels")}


def open_shards(folder):
    return [Shard(path) for path in sorted(glob.glob(os.path.join(folder, "*.bin")))]


def collate(pages):
    """Pads pages to one length; `mask` is true for real tokens."""
    import torch

    length = max(len(p["classes"]) for p in pages)
    size = len(pages)
    out = {
        "grams": np.zeros((size, length, GRAMS), np.int64),
        "numbers": np.zeros((size, length, NUMBERS), np.float32),
        "places": np.zeros((size, length, 2), np.float32),
        "neighbours": np.zeros((size, length, RELATIONS), np.int64),
        "classes": np.zeros((size, length), np.int64),
        "groups": np.zeros((size, length), np.int64),
        "labels": np.zeros((size, length), np.int64),
        "mask": np.zeros((size, length), bool),
    }
    for i, p in enumerate(pages):
        n = len(p["classes"])
        for key in p:
            out[key][i, :n] = p[key]
        out["mask"][i, :n] = True
    return {key: torch.from_numpy(array) for key, array in out.items()}


def batches(shards, tokens, seed):
    """Endless batches of at most `tokens` padded tokens, in a new order in each pass."""
    order = random.Random(seed)
    while True:
        index = [(s, i) for s, shard in enumerate(shards) for i in range(len(shard.counts))]
        order.shuffle(index)
        # Sorted by length within a part of the pass, so that padding is small and the order stays random.
        for start in range(0, len(index), 2000):
            part = sorted(index[start : start + 2000], key=lambda at: shards[at[0]].counts[at[1]])
            groups, open_group = [], []
            for s, i in part:
                n = int(shards[s].counts[i])
                if open_group and n * (len(open_group) + 1) > tokens:
                    groups.append(open_group)
                    open_group = []
                open_group.append((s, i))
            groups.append(open_group)
            order.shuffle(groups)
            for group in groups:
                yield collate([shards[s].page(i) for s, i in group])
