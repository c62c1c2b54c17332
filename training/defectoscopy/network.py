"""MobileNetV2 (width 1.0) without batch normalisation layers, as `weights.py` finds it, and what is read from it."""
import torch
import torch.nn as nn
import torch.nn.functional as F

# (output channels, stride) of the 17 inverted residual blocks; the first has expansion 1, the others 6.
BLOCKS = [(16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (32, 1), (64, 2), (64, 1), (64, 1), (64, 1),
          (96, 1), (96, 1), (96, 1), (160, 2), (160, 1), (160, 1), (320, 1)]
TAPS = (6, 13)  # blocks whose expansion is pooled too: the last maps at strides 8 (192 channels) and 16 (576 channels)
LAST = 1280  # channels of the last map, stride 32
FEATURES = 192 + 576 + LAST


def same(x, conv):
    """`conv` with TensorFlow's SAME padding: at stride 2 and an even size, all of it is below and to the right."""
    if conv.stride[0] == 2:
        x = F.pad(x, (0, 1, 0, 1))
    return conv(x)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        self.expand = nn.Conv2d(inputs, hidden, 1) if expansion > 1 else None
        self.depthwise = nn.Conv2d(hidden, hidden, 3, stride, 1 if stride == 1 else 0, groups=hidden)
        self.project = nn.Conv2d(hidden, outputs, 1)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        """Block output, and the expanded map in front of the depthwise convolution."""
        wide = F.relu6(self.expand(x)) if self.expand else x
        y = self.project(F.relu6(same(wide, self.depthwise)))
        return (x + y if self.residual else y), wide


class Backbone(nn.Module):
    """Image [N,3,S,S] in -1..1, S a multiple of 32 -> features [N,2048] and map [N,2048,S/32,S/32].

    Three maps (strides 8, 16, 32), averaged down to the cells of the last one; the features are the means over the cells.
    What is linear in the features is then a sum over places, whichever layer it looks at: a thin crack is seen at stride 8,
    and by the last layer, whose cells see nearly the whole photo, its place is lost.
    """

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, 2)
        inputs, blocks = 32, []
        for i, (outputs, stride) in enumerate(BLOCKS):
            blocks.append(Block(inputs, outputs, stride, 6 if i else 1))
            inputs = outputs
        self.blocks = nn.ModuleList(blocks)
        self.last = nn.Conv2d(inputs, LAST, 1)

    def forward(self, image):
        x = F.relu6(same(image, self.stem))
        maps = []
        for i, block in enumerate(self.blocks):
            x, wide = block(x)
            if i in TAPS:
                maps.append(wide)
        maps.append(F.relu6(self.last(x)))
        cells = maps[-1].shape[2:]
        whole = torch.cat([F.adaptive_avg_pool2d(one, cells) for one in maps], 1)
        return whole.mean((2, 3)), whole
