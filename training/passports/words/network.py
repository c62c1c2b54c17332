"""The recognizer: convolutions down to one row, then blocks of attention and convolution along the word; CTC output."""

import torch
from torch import nn


def _convolution(source, target, kernel=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(source, target, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(target), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


class Block(nn.Module):
    """Mixing along the word: a depthwise convolution, optional attention, and a multilayer perceptron (as in SVTR, arXiv:2205.00159)."""

    def __init__(self, width, heads, kernel=7):
        super().__init__()
        self.local = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.local_norm = nn.LayerNorm(width)
        self.heads = heads
        if heads:
            self.attention_norm = nn.LayerNorm(width)
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        x = x + self.local(self.local_norm(x).transpose(1, 2)).transpose(1, 2)
        if self.heads:
            x = x + self.out(self._attend(self.attention_norm(x)))
        return x + self.down(torch.relu(self.up(self.norm(x))))

    def _attend(self, x):
        size = x.shape[2] // self.heads
        q, k, v = (one.reshape(x.shape[0], -1, self.heads, size).transpose(1, 2) for one in self.qkv(x).chunk(3, dim=2))
        scores = torch.softmax(q @ k.transpose(2, 3) * size**-0.5, dim=3)
        return (scores @ v).transpose(1, 2).reshape(x.shape[0], -1, self.heads * size)


class WordNetwork(nn.Module):
    """`[N, 1, 32, W]`, black -1 and white 1, W a multiple of 4, to logits `[N, W / step, classes]`; class 0 is blank. `step` is 4 or 2."""

    def __init__(self, classes, width=176, heads=4, step=4):
        super().__init__()
        self.stem = nn.Sequential(
            _convolution(1, 32, stride=2),
            _convolution(32, 56, stride=(2, step // 2)),
            Residual(_convolution(56, 56), _convolution(56, 56)),
            _convolution(56, 112, stride=(2, 1)),
            Residual(_convolution(112, 112, kernel=5, groups=112), _convolution(112, 112, kernel=1)),
        )
        self.flatten = nn.Linear(4 * 112, width)
        self.blocks = nn.ModuleList(Block(width, with_heads) for with_heads in (0, heads, 0, heads))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.stem(x)
        x = self.flatten(x.flatten(1, 2).transpose(1, 2))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
