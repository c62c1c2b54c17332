"""The backbone as an ONNX graph, written node by node, so that it holds what `network.Backbone` holds and nothing else."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import network

OPSET = 13
IR_VERSION = 7


def backbone_onnx(backbone, size, path, place):
    """Write `path`: input `image` uint8 [N,S,S,3] (RGB) -> `features` float32 [N,2048] and `map` float32 [N,2048,S/32,S/32].

    `place` float32 [2048,S/32,S/32] is taken off the map: what a cell has on average for being where it is. Zero padding
    makes the cells along the edges differ whatever the photo shows, and a heatmap would light up there. Its mean over the
    cells is zero, so the features are the means of what remains as well.

    Normalisation to -1..1 is inside. It is not folded into the first convolution: zero padding has to stay mid grey.
    """
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def convolution(name, layer, x, active):
        kernel = layer.kernel_size[0]
        # TensorFlow's SAME at stride 2 and an even size pads below and to the right only.
        pads = [0, 0, 1, 1] if layer.stride[0] == 2 else [kernel // 2] * 4
        weight = constant(name + ".weight", layer.weight.detach().numpy())
        bias = constant(name + ".bias", layer.bias.detach().numpy())
        x = node("Conv", [x, weight, bias], name, kernel_shape=[kernel, kernel], strides=list(layer.stride), pads=pads,
                 group=layer.groups)
        return node("Clip", [x, zero, six], name + ".relu6") if active else x

    def mean(x, name):
        return node("Flatten", [node("GlobalAveragePool", [x], name + ".mean")], name + ".pooled", axis=1)

    zero, six = constant("zero", 0), constant("six", 6)
    x = node("Cast", ["image"], "image.float", to=TensorProto.FLOAT)
    x = node("Transpose", [x], "image.planes", perm=[0, 3, 1, 2])
    x = node("Mul", [x, constant("image.scale", 1 / 127.5)], "image.scaled")
    x = node("Sub", [x, constant("image.shift", 1)], "image.normal")
    x = convolution("stem", backbone.stem, x, True)
    pooled, maps = [], []
    for i, block in enumerate(backbone.blocks):
        name = f"blocks.{i}"
        wide = convolution(name + ".expand", block.expand, x, True) if block.expand else x
        if i in network.TAPS:
            pooled.append(mean(wide, name + ".expand"))
            maps.append(wide)
        y = convolution(name + ".depthwise", block.depthwise, wide, True)
        y = convolution(name + ".project", block.project, y, False)
        x = node("Add", [x, y], name + ".sum") if block.residual else y
    x = convolution("last", backbone.last, x, True)
    cells = size // 32
    for i, stride in enumerate((4, 2)):
        maps[i] = node("AveragePool", [maps[i]], f"map.{i}", kernel_shape=[stride, stride], strides=[stride, stride])
    whole = node("Concat", maps + [x], "map.whole", axis=1)
    node("Sub", [whole, constant("map.place", place[None])], "map")
    node("Concat", pooled + [mean(x, "last")], "features", axis=1)

    graph = helper.make_graph(
        nodes, "defectoscopy-backbone",
        [helper.make_tensor_value_info("image", TensorProto.UINT8, ["N", size, size, 3])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", network.FEATURES]),
         helper.make_tensor_value_info("map", TensorProto.FLOAT, ["N", network.FEATURES, cells, cells])],
        constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="assay")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    onnx.save(model, path)
