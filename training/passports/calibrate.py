"""Fits the weights of `field-network/confidence.ts`. Usage: python3 calibrate.py evidence.json [evidence.json …]

Logistic regression with a ridge penalty. Prints the weights, and precision and share of the printed values at thresholds, measured
on the files of evidence that were left out of the fit, one after another; with one file, on the forms.
"""
import json
import sys

import numpy as np

PENALTY = 1.0
# Inputs whose direction is known: few forms must not reverse it. A label that differs, the last word of a line (inputsOf).
SIGNS = {5: -1, 11: 1}
SMALLEST = 0.01
paths = sys.argv[1:]
rows = [{**row, "part": path if len(paths) > 1 else row["form"]} for path in paths for row in json.load(open(path))]
inputs = np.array([row["inputs"] for row in rows])
right = np.array([row["isRight"] for row in rows], float)
parts = np.array([row["part"] for row in rows])
kinds = np.array([row["kind"] for row in rows])


def probabilities(inputs, weights):
    return 1 / (1 + np.exp(-inputs @ weights))


def fit(inputs, right):
    """The weights; those with the wrong sign are set to the smallest one with the right sign, and the others are fitted again."""
    fixed = {}
    while True:
        weights = fit_others(inputs, right, fixed)
        wrong = [i for i, sign in SIGNS.items() if weights[i] * sign < SMALLEST and i not in fixed]
        if not wrong:
            return weights
        fixed.update({i: SIGNS[i] * SMALLEST for i in wrong})


def fit_others(inputs, right, fixed):
    """Newton's method; the first weight is the bias and is not penalised."""
    free = [i for i in range(inputs.shape[1]) if i not in fixed]
    penalty = np.full(len(free), PENALTY)
    penalty[0] = 0.01
    weights = np.zeros(inputs.shape[1])
    for i, weight in fixed.items():
        weights[i] = weight
    used = inputs[:, free]
    for _ in range(60):
        p = probabilities(inputs, weights)
        gradient = used.T @ (p - right) + penalty * weights[free]
        curvature = (used * (p * (1 - p))[:, None]).T @ used + np.diag(penalty)
        weights[free] -= np.linalg.solve(curvature, gradient)
    return weights


held_out = np.zeros(len(rows))
for part in np.unique(parts):
    own = parts == part
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
