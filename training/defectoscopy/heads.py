"""Linear heads on the pooled features, and their calibration."""
import numpy as np
import torch
import torch.nn.functional as F

DECAY = 0.03  # of the standardized weights; chosen on val among 0.003 to 0.3 by accuracy and cross entropy
SHARES = (1.0, 0.75, 0.5)  # of the refitted head in the mixture with the fine-tuned one
SCALE_DECAYS = (0.03, 10.0)  # of the class scales; the second leaves hardly more than one temperature for all classes


@torch.no_grad()
def embed(backbone, images, batch=32):
    """Features float32 [N,2048] of uint8 images [N,S,S,3]."""
    from data import tensor
    backbone.eval()
    return torch.cat([backbone(tensor(images[i:i + batch]))[0] for i in range(0, len(images), batch)])


@torch.no_grad()
def place(backbone, images, batch=32):
    """Positional bias of the map's cells, float32 [2048,h,w]: mean per cell over photos minus the mean of all cells."""
    from data import tensor
    backbone.eval()
    mean = sum(backbone(tensor(images[i:i + batch]))[1].double().sum(0) for i in range(0, len(images), batch)) / len(images)
    return (mean - mean.mean((1, 2), keepdim=True)).float().numpy()


def minimize(parameters, loss, steps):
    solver = torch.optim.LBFGS(parameters, max_iter=steps, history_size=10, line_search_fn="strong_wolfe",
                               tolerance_grad=1e-5, tolerance_change=1e-7)

    def closure():
        solver.zero_grad()
        value = loss()
        value.backward()
        return value

    solver.step(closure)


def fit(features, targets, classes, decay=DECAY, steps=60):
    """Multinomial logistic regression: weights [K,D] and bias [K] for features [N,D], standardisation folded in.

    Fine-tuning used augmented images, smoothed labels and mixup; refitting on unchanged images gains one percentage point
    on val (measured).
    """
    mean, scale = features.mean(0), features.std(0) + 1e-4
    x = (features - mean) / scale
    w, b = torch.zeros(classes, x.shape[1], requires_grad=True), torch.zeros(classes, requires_grad=True)
    minimize([w, b], lambda: F.cross_entropy(x @ w.T + b, targets) + decay * (w ** 2).sum(), steps)
    w, b = w.detach() / scale, b.detach()
    return w, b - w @ mean


def calibrate(weights, bias, features, targets, decay):
    """Weights, bias and temperature with the least cross entropy on features that `fit` did not use.

    Each class also has a regularised scale and shift, because overconfidence differs between easy classes (rolled steel)
    and hard ones (concrete cracks). Scale and shift are folded into weights and bias.
    """
    logits = features @ weights.T + bias
    shared = torch.ones(1, requires_grad=True)
    scale, shift = (torch.zeros(logits.shape[1], requires_grad=True) for _ in range(2))
    minimize([shared, scale, shift], lambda: F.cross_entropy(logits * (shared + scale) + shift, targets)
             + decay * (scale ** 2).sum() + decay * (shift ** 2).sum(), 60)
    shared, scale, shift = (v.detach() for v in (shared, scale, shift))
    ratio = 1 + scale / shared
    return weights * ratio[:, None], bias * ratio + shift / shared, float(1 / shared)


def mixture(refitted, tuned, share, features):
    """Weights and bias of the weighted mean of two heads, after scaling their logits on `features` to equal spread."""
    spread = [float((features @ w.T + b).std()) for w, b in (refitted, tuned)]
    parts = [share, (1 - share) * spread[0] / spread[1]]
    return tuple(parts[0] * first + parts[1] * second for first, second in zip(refitted, tuned))


def choose(refitted, tuned, features, targets, groups, folds=5, seed=0):
    """The share of the refitted head and the decay of the class scales with the least cross entropy on val, and that value.

    Cross-validated: each fold, of whole groups, is predicted with a calibration fitted on the others.
    """
    names = np.unique(groups)
    fold_of = dict(zip(np.random.default_rng(seed).permutation(names), np.arange(len(names)) % folds))
    fold = torch.tensor([int(fold_of[group]) for group in groups])

    def held_out(share, decay):
        w, b = mixture(refitted, tuned, share, features)
        total = 0.0
        for k in range(folds):
            here, rest = fold == k, fold != k
            cw, cb, t = calibrate(w, b, features[rest], targets[rest], decay)
            total += float(F.cross_entropy((features[here] @ cw.T + cb) / t, targets[here], reduction="sum"))
        return total / len(targets)

    return min((held_out(share, decay), share, decay) for share in SHARES for decay in SCALE_DECAYS)
