"""Samples on the training device: rings of images by width, filled by rendering processes, and augmentation."""

import multiprocessing
import os
import queue
import traceback

import numpy as np
import torch
from torch.nn import functional

from alphabet import CLASS_OF
from render import HEIGHT, MAX_WIDTH, Renderer

WIDTHS = [64, 96, 128, 160, 224, 320, 448, MAX_WIDTH]
MAX_LABEL = 40
_AT_ONCE = 96


def bucket_of(width):
    return next(i for i, most in enumerate(WIDTHS) if width <= most)


def encode(samples):
    """`{bucket: (images, labels, lengths)}` of `(image, text)` pairs; images are padded with white."""
    groups = {}
    for image, text in samples:
        groups.setdefault(bucket_of(image.shape[1]), []).append((image, text))
    encoded = {}
    for bucket, group in groups.items():
        images = np.full((len(group), HEIGHT, WIDTHS[bucket]), 255, np.uint8)
        labels = np.zeros((len(group), MAX_LABEL), np.uint8)
        for i, (image, text) in enumerate(group):
            images[i, :, : image.shape[1]] = image
            labels[i, : len(text)] = [CLASS_OF[character] for character in text]
        encoded[bucket] = images, labels, np.array([len(text) for _, text in group], np.int64)
    return encoded


def _fits(image, text):
    """Whether CTC can print the text in a quarter of the columns."""
    repeated = sum(a == b for a, b in zip(text, text[1:]))
    return 0 < len(text) <= MAX_LABEL and len(text) + repeated <= image.shape[1] // 4


def _render_forever(fonts, phrases, seed, out):
    os.nice(5)
    renderer = Renderer(fonts, phrases, seed)
    while True:
        samples = []
        while len(samples) < _AT_ONCE:
            try:
                image, text = renderer.sample()
            except (OSError, ValueError):
                traceback.print_exc()
                continue
            if _fits(image, text):
                samples.append((image, text))
        out.put(encode(samples))


class RenderedSamples:
    """Processes that render samples. Starts them before CUDA does, because they are forks."""

    def __init__(self, workers, fonts, phrases, seed):
        context = multiprocessing.get_context("fork")
        self.queue = context.Queue(maxsize=max(8, 4 * workers))
        self.processes = [
            context.Process(target=_render_forever, args=(fonts, phrases, seed + i, self.queue), daemon=True) for i in range(workers)
        ]
        for process in self.processes:
            process.start()

    def take(self, ring, at_most, wait=False):
        """Moves rendered samples to the ring; returns how many."""
        count = 0
        for _ in range(at_most):
            try:
                encoded = self.queue.get(timeout=30) if wait else self.queue.get_nowait()
            except queue.Empty:
                break
            ring.add(encoded)
            count += sum(len(lengths) for _, _, lengths in encoded.values())
        return count

    def close(self):
        for process in self.processes:
            process.terminate()


class Ring:
    """The latest samples of each width."""

    def __init__(self, capacity, device):
        self.capacity = capacity
        self.device = device
        self.images, self.labels, self.lengths = {}, {}, {}
        self.added = [0] * len(WIDTHS)

    def add(self, encoded):
        for bucket, (images, labels, lengths) in encoded.items():
            if bucket not in self.images:
                self.images[bucket] = torch.empty((self.capacity, HEIGHT, WIDTHS[bucket]), dtype=torch.uint8, device=self.device)
                self.labels[bucket] = torch.zeros((self.capacity, MAX_LABEL), dtype=torch.uint8, device=self.device)
                self.lengths[bucket] = torch.zeros(self.capacity, dtype=torch.int64, device=self.device)
            at = (torch.arange(len(lengths)) + self.added[bucket]) % self.capacity
            at = at.to(self.device)
            self.images[bucket][at] = torch.from_numpy(images).to(self.device)
            self.labels[bucket][at] = torch.from_numpy(labels).to(self.device)
            self.lengths[bucket][at] = torch.from_numpy(lengths).to(self.device)
            self.added[bucket] += len(lengths)

    def count(self, bucket):
        return min(self.capacity, self.added[bucket])

    def draw(self, bucket, count):
        at = torch.randint(self.count(bucket), (count,), device=self.device)
        return self.images[bucket][at], self.labels[bucket][at], self.lengths[bucket][at]


def to_input(images):
    """uint8 `[N, HEIGHT, W]` to the network's input."""
    return images.unsqueeze(1).float() / 127.5 - 1


def augment(x):
    """Varies size, place, ink and noise of a batch, so that samples can be used several times."""
    n, device = len(x), x.device

    def within(low, high, *shape):
        return torch.rand(n, *(shape or (1, 1, 1)), device=device) * (high - low) + low

    def some(share):
        return (torch.rand(n, 1, 1, 1, device=device) < share).float()

    # Around the left edge, so that words stay inside.
    theta = torch.zeros(n, 2, 3, device=device)
    wide = within(1.0, 1.1, 1).squeeze(1)
    theta[:, 0, 0] = wide
    theta[:, 0, 1] = within(-0.02, 0.02, 1).squeeze(1) * HEIGHT / x.shape[3]
    theta[:, 0, 2] = wide - 1
    theta[:, 1, 1] = within(0.93, 1.07, 1).squeeze(1)
    theta[:, 1, 2] = within(-0.06, 0.06, 1).squeeze(1)
    grid = functional.affine_grid(theta, list(x.shape), align_corners=False)
    x = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
    spread = -functional.max_pool2d(-x, 3, 1, 1)
    thin = functional.max_pool2d(x, 3, 1, 1)
    soft = functional.avg_pool2d(functional.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    x = x + some(0.12) * within(0, 0.5) * (spread - x)
    x = x + some(0.12) * within(0, 0.5) * (thin - x)
    x = x + some(0.3) * within(0, 0.9) * (soft - x)
    x = 1 - (1 - x) * within(0.7, 1.2)
    # Paper is white: noise shows in the ink.
    noise = torch.randn_like(x) * within(0, 0.12) * some(0.5)
    x = x + noise * (0.15 + (1 - x).clamp(0, 1))
    return x.clamp(-1, 1)
