"""Linear heads on the pooled features, and their temperature."""
import numpy as np
import torch
import torch.nn.functional as F

import metrics


@torch.no_grad()
def embed(backbone, images, batch=32):
    """Features float32 [N,2048] of uint8 images [N,S,S,3]."""
    from data import tensor
    backbone.eval()
    return torch.cat([backbone(tensor(images[i:i + batch]))[0] for i in range(0, len(images), batch)])


def fit(features, targets, classes, decay, start=None, steps=200, smoothing=0.0):
    """Multinomial logistic regression (L-BFGS, penalty `decay` on the standardised weights): weights [K,D], bias [K].

    `features` [N,D] may be several views of each image; standardisation is folded into the result. With `start`
    (weights, bias) the penalty pulls to these instead of to zero.
    """
    mean, scale = features.mean(0), features.std(0) + 1e-4
    x = (features - mean) / scale
    if start is None:
        w0, b0 = torch.zeros(classes, x.shape[1]), torch.zeros(classes)
    else:
        w0, b0 = start[0] * scale, start[1] + start[0] @ mean
    w, b = w0.clone().requires_grad_(), b0.clone().requires_grad_()
    solver = torch.optim.LBFGS([w, b], max_iter=steps, history_size=10, line_search_fn="strong_wolfe",
                               tolerance_grad=1e-5, tolerance_change=1e-7)

    def loss():
        solver.zero_grad()
        value = F.cross_entropy(x @ w.T + b, targets, label_smoothing=smoothing) + decay * ((w - w0) ** 2).sum()
        value.backward()
        return value

    solver.step(loss)
    w, b = w.detach(), b.detach()
    return w / scale, b - (w / scale) @ mean


def temperature(logits, targets):
    """The divisor of the logits [N,K] that gives the least cross entropy."""
    grid = np.exp(np.linspace(np.log(0.25), np.log(5), 241))
    rows = np.arange(len(targets))
    losses = [-np.log(metrics.softmax(logits / t)[rows, targets] + 1e-12).mean() for t in grid]
    return float(grid[int(np.argmin(losses))])
