"""
Converts trained weights to ONNX: python3 export.py weights.npz words.onnx [STEP]

Input `x`: `[N, 1, 32, W]` float32, black -1 and white 1, padded with white to a width that is a multiple of 16. Output: probabilities
`[N, W / step, classes]`; class 0 is blank and class i + 1 is the character in line i of the text file beside the network.
"""

import inspect
import os
import sys

import numpy as np
import torch
from torch import nn

from alphabet import CHARACTERS
from network import WordNetwork


def load_network(path, step=4):
    network = WordNetwork(len(CHARACTERS) + 1, step=step)
    with np.load(path) as weights:
        network.load_state_dict({name: torch.from_numpy(weights[name]) for name in weights.files})
    return network.eval()


class Probabilities(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return torch.softmax(self.network(x), dim=2)


if __name__ == "__main__":
    source, target, step = *sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 4
    model = Probabilities(load_network(source, step)).eval()
    dynamic = {"x": {0: "images", 3: "width"}, "probabilities": {0: "images", 1: "steps"}}
    options = {"opset_version": 13, "input_names": ["x"], "output_names": ["probabilities"], "dynamic_axes": dynamic}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    example = torch.rand(2, 1, 32, 160) * 2 - 1
    torch.onnx.export(model, example, target, **options)
    with open(os.path.splitext(target)[0] + ".txt", "w", encoding="utf-8") as file:
        file.write("".join(f"{character}\n" for character in CHARACTERS))
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters, {os.path.getsize(target) / 1e6:.2f} MB")
