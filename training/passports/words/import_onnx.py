"""
Restores weights for `train.py --start` from an exported network: python3 import_onnx.py words.onnx crops.npz weights.npz

The export merges batch normalization into the convolution before it. Its statistics are measured again on the crops, so that training
goes on from the same function.
"""

import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from PIL import Image
from torch import nn

from alphabet import CHARACTERS
from network import WordNetwork
from pack import load_crops
from render import normalize_height
from samples import encode, to_input

PREFIX = "network."
CROPS = 2000


def read_linear(graph, arrays):
    """The parameters but for the convolutions of the stem. The export transposes the weights of linear layers and drops their names: their bias has the name."""
    weights = {name[len(PREFIX) :]: array for name, array in arrays.items() if name.startswith(PREFIX)}
    products = {node.output[0]: arrays[node.input[1]] for node in graph.node if node.op_type == "MatMul" and node.input[1] in arrays}
    for node in graph.node:
        product = next((name for name in node.input if name in products), None)
        bias = next((name for name in node.input if name.endswith(".bias")), None)
        if node.op_type == "Add" and product and bias:
            weights[bias[len(PREFIX) : -len("bias")] + "weight"] = products[product].T.contiguous()
    return weights


def restore(path, batches):
    """The network of an ONNX file; `batches` are inputs of which the statistics are measured."""
    graph = onnx.load(path).graph
    arrays = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    network = WordNetwork(len(CHARACTERS) + 1).eval()
    missing, unexpected = network.load_state_dict(read_linear(graph, arrays), strict=False)
    others = [name for name in missing if not name.startswith("stem.")]
    if others or unexpected:
        raise ValueError(f"not in the file: {others}; not in the network: {unexpected}")
    merged = [(arrays[node.input[1]], arrays[node.input[2]]) for node in graph.node if node.op_type == "Conv" and "/stem/" in node.output[0]]
    modules = list(network.stem.modules())
    pairs = [(one, other) for one, other in zip(modules, modules[1:]) if isinstance(one, nn.Conv2d)]
    if len(merged) != len(pairs):
        raise ValueError(f"{len(merged)} convolutions in the file, {len(pairs)} in the network")
    # From the first convolution to the last one, because each changes the input of the next.
    with torch.no_grad():
        for (weight, bias), (convolution, normalization) in zip(merged, pairs):
            convolution.weight.copy_(weight)
            mean, variance = measure(network, convolution, batches)
            normalization.running_mean.copy_(mean)
            normalization.running_var.copy_(variance)
            normalization.weight.copy_(torch.sqrt(variance + normalization.eps))
            normalization.bias.copy_(bias + mean)
    return network


def measure(network, convolution, batches):
    """Mean and variance of each channel of a convolution's output."""
    count, total, squares = 0, 0.0, 0.0

    def add(_, __, output):
        nonlocal count, total, squares
        count += output.numel() // output.shape[1]
        total = total + output.double().sum((0, 2, 3))
        squares = squares + output.double().square().sum((0, 2, 3))

    hook = convolution.register_forward_hook(add)
    for batch in batches:
        network.stem(batch)
    hook.remove()
    mean = total / count
    return mean.float(), (squares / count - mean.square()).clamp(min=0).float()


if __name__ == "__main__":
    source, crops, target = sys.argv[1:]
    chosen = [crop for crop in load_crops(crops) if not crop["isValidation"]][:CROPS]
    samples = [(normalize_height(Image.fromarray(crop["image"])), crop["truth"]) for crop in chosen]
    batches = [to_input(torch.from_numpy(images)) for images, _, _ in encode(samples).values()]
    network = restore(source, batches)
    np.savez(target, **{name: value.numpy() for name, value in network.state_dict().items()})
