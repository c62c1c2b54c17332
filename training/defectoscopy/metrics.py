"""Accuracy, calibration and confusion of class probabilities [N,K] against class indices [N]."""
import numpy as np

BINS = 15


def accuracy(probabilities, targets):
    return float((probabilities.argmax(1) == targets).mean())


def reliability(probabilities, targets):
    """Per bin of top-1 confidence (15 equal widths): [count, mean confidence, accuracy]."""
    confidence, right = probabilities.max(1), probabilities.argmax(1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    rows = []
    for b in range(BINS):
        here = bins == b
        rows.append([int(here.sum()), float(confidence[here].mean()) if here.any() else None,
                     float(right[here].mean()) if here.any() else None])
    return rows


def calibration_error(probabilities, targets):
    """Expected calibration error: mean gap between confidence and accuracy over the bins, weighted by count."""
    return sum(n * abs(c - a) for n, c, a in reliability(probabilities, targets) if n) / len(targets)


def confusion(predicted, targets, count):
    """Counts [true, predicted]."""
    table = np.zeros((count, count), int)
    np.add.at(table, (targets, predicted), 1)
    return table


def softmax(logits):
    exp = np.exp(logits - logits.max(1, keepdims=True))
    return exp / exp.sum(1, keepdims=True)
