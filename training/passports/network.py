"""A layout transformer over the words of one page.

Words are described by hashed character n-grams, numbers (size, shape, ruled cell) and places. Each layer mixes a word with
its neighbours along lines, columns and ruled cells, and attends to all words of the page with rotary positions in two
dimensions (after RoFormer, arXiv:2104.09864, applied per axis; relative positions as in BROS, arXiv:2108.04539).
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from data import GRAMS, NUMBERS, RELATIONS

BUCKETS = 32768
HEAD = 32
NEIGHBOUR = 32


def rotation(places):
    """(..., 2) places in letter heights → cos and sin of (..., HEAD / 2) angles; half of them for x, half for y."""
    count = HEAD // 4
    steps = torch.arange(count, dtype=torch.float32, device=places.device) / (count - 1)
    # Wavelengths from 6 to 600 letter heights along x, 3 to 300 along y.
    x = places[..., 0:1] * (2 * math.pi / (6 * 100**steps))
    y = places[..., 1:2] * (2 * math.pi / (3 * 100**steps))
    angles = torch.cat([x, y], -1)
    return torch.cos(angles), torch.sin(angles)


def rotate(x, turn):
    """Rotates pairs of features; x is (B, heads, N, HEAD)."""
    cos, sin = turn
    a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Norm(nn.LayerNorm):
    """In float32, also where the rest is in bfloat16."""

    def forward(self, x):
        return super().forward(x.float())


class Mix(nn.Module):
    """Adds the projected features of the neighbours; one projection per relation."""

    def __init__(self, width):
        super().__init__()
        self.out_of = nn.Linear(width, RELATIONS * NEIGHBOUR)
        self.into = nn.Linear(RELATIONS * NEIGHBOUR, width)

    def forward(self, x, links):
        size, length, _ = x.shape
        sent = self.out_of(x).float().reshape(size, length, RELATIONS * NEIGHBOUR)
        sent = F.pad(sent, (0, 0, 1, 0)).reshape(-1, NEIGHBOUR)
        received = F.embedding(links, sent).reshape(size, length, RELATIONS * NEIGHBOUR)
        return self.into(F.gelu(received))


class Layer(nn.Module):
    def __init__(self, width, attends, mixes):
        super().__init__()
        self.heads = width // HEAD
        self.mix = Mix(width) if mixes else None
        self.attends = attends
        self.norms = nn.ModuleList([Norm(width) for _ in range(3)])
        if attends:
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(0.05)

    def forward(self, x, links, turn, bias):
        if self.mix:
            x = x + self.mix(self.norms[0](x), links)
        if self.attends:
            size, length, width = x.shape
            q, k, v = self.qkv(self.norms[1](x)).reshape(size, length, 3, self.heads, HEAD).permute(2, 0, 3, 1, 4)
            q, k = rotate(q, turn), rotate(k, turn)
            weights = torch.matmul(q * HEAD**-0.5, k.transpose(-1, -2)) + bias
            seen = torch.matmul(torch.softmax(weights, -1), v)
            x = x + self.dropout(self.out(seen.permute(0, 2, 1, 3).reshape(size, length, width)))
        return x + self.dropout(self.down(F.gelu(self.up(self.norms[2](x)))))


class FieldNetwork(nn.Module):
    def __init__(self, classes, labels, width=160, layers=4, gram_width=64, attends=True, mixes=True):
        super().__init__()
        self.options = dict(classes=classes, labels=labels, width=width, layers=layers, gram_width=gram_width, attends=attends, mixes=mixes)
        self.grams = nn.Embedding(BUCKETS, gram_width, padding_idx=0)
        nn.init.normal_(self.grams.weight, std=0.5)
        self.grams.weight.data[0] = 0
        self.word = nn.Linear(gram_width, width)
        self.numbers = nn.Sequential(nn.Linear(NUMBERS, width), nn.GELU(), nn.Linear(width, width))
        self.layers = nn.ModuleList([Layer(width, attends, mixes) for _ in range(layers)])
        self.norm = Norm(width)
        self.classes = nn.Linear(width, classes)
        self.labels = nn.Linear(width, labels)
        self.pair = nn.Linear(width, 2 * HEAD)
        self.pair_bias = nn.Parameter(torch.tensor(-1.0))

    def forward(self, grams, numbers, places, neighbours, mask):
        """Returns class logits (B, N, C), label logits (B, N, L) and pair logits (B, N, N): both words in one value or row."""
        size, length, _ = grams.shape
        present = (grams > 0).float().unsqueeze(-1)
        words = (self.grams(grams) * present).sum(2) / present.sum(2).clamp(min=1)
        x = (self.word(words) + self.numbers(numbers)).float()
        offsets = torch.arange(size, device=grams.device).reshape(-1, 1, 1) * (length + 1)
        relations = torch.arange(RELATIONS, device=grams.device)
        links = ((neighbours + offsets) * RELATIONS + relations).reshape(size, -1)
        cos, sin = rotation(places)
        turn = (cos.unsqueeze(1), sin.unsqueeze(1))
        bias = (~mask).float().reshape(size, 1, 1, length) * -1e4
        for layer in self.layers:
            x = layer(x, links, turn, bias)
        x = self.norm(x)
        q, k = rotate(self.pair(x).reshape(size, length, 2, HEAD).permute(2, 0, 1, 3).unsqueeze(2), (turn[0], turn[1])).squeeze(2)
        pairs = torch.matmul(q, k.transpose(-1, -2)) * HEAD**-0.5 * 4 + self.pair_bias
        return self.classes(x), self.labels(x), pairs
