"""Exports a trained network to ONNX with float16 weights. Usage: python3 export.py CHECKPOINT OUT_FILE"""
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from data import GRAMS, NUMBERS, RELATIONS
from network import FieldNetwork


class Served(nn.Module):
    """One page without padding; returns probabilities and pairs of the first page."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, grams, numbers, places, neighbours):
        grams, neighbours = grams.long(), neighbours.long()
        mask = torch.ones_like(grams[..., 0], dtype=torch.bool)
        classes, _, pairs = self.network(grams, numbers, places, neighbours, mask)
        return torch.softmax(classes, -1)[0], pairs[0]


def halve(model):
    """Stores large float32 weights as float16 and casts them back, which onnxruntime does once when it loads them."""
    graph = model.graph
    casts = []
    for initializer in list(graph.initializer):
        array = numpy_helper.to_array(initializer)
        if array.dtype != np.float32 or array.size < 1000:
            continue
        name = initializer.name
        graph.initializer.remove(initializer)
        graph.initializer.append(numpy_helper.from_array(array.astype(np.float16), name + "_half"))
        casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend(casts + nodes)
    return model


def main():
    saved = torch.load(sys.argv[1])
    network = FieldNetwork(**saved["options"])
    network.load_state_dict(saved["weights"])
    network.eval()
    count = 40
    inputs = (
        torch.randint(0, 1000, (1, count, GRAMS), dtype=torch.int32),
        torch.randn(1, count, NUMBERS),
        torch.rand(1, count, 2) * 50,
        torch.randint(0, count + 1, (1, count, RELATIONS), dtype=torch.int32),
    )
    names = ["grams", "numbers", "places", "neighbours"]
    torch.onnx.export(
        Served(network), inputs, sys.argv[2], input_names=names, output_names=["probabilities", "pairs"], opset_version=13,
        dynamic_axes={**{name: {1: "tokens"} for name in names}, "probabilities": {0: "tokens"}, "pairs": {0: "tokens", 1: "tokens"}},
    )
    onnx.save(halve(onnx.load(sys.argv[2])), sys.argv[2])


main()
