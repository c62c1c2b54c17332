"""Fits the weights of `field-network/confidence.ts`. Usage: python3 calibrate.py evidence.json [evidence.json …]

Logistic regression with a ridge penalty. Prints the weights, and precision and share of the printed values at thresholds, measured
on the forms that were left out of the fit, one after another.
"""
import json
import sys

import numpy as np

PENALTY = 1.0
rows = [row for path in sys.argv[1:] for row in json.load(open(path))]
inputs = np.array([row["inputs"] for row in rows])
right = np.array([row["isRight"] for row in rows], float)
forms = np.array([row["form"] for row in rows])
kinds = np.array([row["kind"] for row in rows])


def probabilities(inputs, weights):
    return 1 / (1 + np.exp(-inputs @ weights))


def fit(inputs, right):
    """Newton's method; the first weight is the bias and is not penalised."""
    penalty = np.full(inputs.shape[1], PENALTY)
    penalty[0] = 0.01
    weights = np.zeros(inputs.shape[1])
    for _ in range(60):
        p = probabilities(inputs, weights)
        gradient = inputs.T @ (p - right) + penalty * weights
        curvature = (inputs * (p * (1 - p))[:, None]).T @ inputs + np.diag(penalty)
        weights -= np.linalg.solve(curvature, gradient)
    return weights


held_out = np.zeros(len(rows))
for form in np.unique(forms):
    own = forms == form
    held_out[own] = probabilities(inputs[own], fit(inputs[~own], right[~own]))

print("weights", np.round(fit(inputs, right), 3).tolist())
documents = {(row["kind"], row["form"], row["number"]): row["printed"] for row in rows}
for kind in np.unique(kinds):
    printed = sum(count for (of, _, _), count in documents.items() if of == kind)
    for threshold in (0.9, 0.95, 0.97):
        sure = (kinds == kind) & (held_out >= threshold)
        print(f"{kind} from {threshold}: precision {100 * right[sure].mean():.1f} %, share {100 * right[sure].sum() / printed:.1f} %")
doubted = sorted((p, row["form"], row["kind"], row["key"], row["value"]) for p, row in zip(held_out, rows) if not row["isRight"] and p >= 0.95)
for one in reversed(doubted):
    print("wrong", *one)
