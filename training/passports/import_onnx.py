"""Restores a checkpoint for `train.py --start` from an exported network. Usage: python3 import_onnx.py FIELDS_ONNX OUT_FILE

Weights that the export stored as float16 stay rounded. The head of the labels is a training target that is not exported: it starts at zero,
so that it changes nothing else at first.
"""
import json
import os
import sys

import onnx
import torch
from onnx import numpy_helper

from network import FieldNetwork

PREFIX = "network."


def read_weights(graph):
    """Parameters by name. The export transposes the weights of linear layers and drops their names: their bias has the name."""
    arrays = {}
    for initializer in graph.initializer:
        arrays[initializer.name.removesuffix("_half")] = torch.from_numpy(numpy_helper.to_array(initializer).copy()).float()
    weights = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    products = {node.output[0]: arrays[node.input[1]] for node in graph.node if node.op_type == "MatMul" and node.input[1] in arrays}
    for node in graph.node:
        product = next((name for name in node.input if name in products), None)
        bias = next((name for name in node.input if name.endswith(".bias")), None)
        if node.op_type == "Add" and product and bias:
            weights[bias.removeprefix(PREFIX).removesuffix("bias") + "weight"] = products[product].T.contiguous()
    return weights


def main():
    path, out = sys.argv[1:]
    manifest = json.load(open(os.path.join(os.path.dirname(os.path.abspath(path)), "manifest.json")))
    options = {name: value for name, value in manifest["network"].items() if name != "parameters"}
    network = FieldNetwork(**options)
    weights = read_weights(onnx.load(path).graph)
    for name in ("labels.weight", "labels.bias"):
        weights[name] = torch.zeros_like(network.state_dict()[name])
    network.load_state_dict(weights)
    torch.save({"weights": weights, "options": network.options}, out)


main()
