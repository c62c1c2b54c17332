"""Suspected wrong labels by confident learning (Northcutt et al. 2021, arXiv:1911.00068), and the effect of leaving them out.

DATA_FOLDER MODEL_FOLDER -> suspects.csv in this folder (file, label, more likely defect), figures on the standard output. A photo of
train or val is suspected if a head that was fitted without its group is at least as sure of another defect as such heads are,
on average, of photos labelled with that defect. The test photos are not audited.
"""
import argparse
import csv
import os

import numpy as np
import onnx
import torch
from onnx import numpy_helper

import data
import heads
import metrics
import network
import taxonomy

FOLDS = 5


def load_backbone(path):
    tensors = {t.name: torch.tensor(numpy_helper.to_array(t)) for t in onnx.load(path).graph.initializer}
    backbone = network.Backbone()
    backbone.load_state_dict({name: tensors[name] for name in backbone.state_dict()})
    return backbone


def held_out_probabilities(features, targets, groups, classes):
    names = np.unique(groups)
    fold_of = dict(zip(np.random.default_rng(1).permutation(names), np.arange(len(names)) % FOLDS))
    fold = torch.tensor([int(fold_of[group]) for group in groups])
    result = np.zeros((len(targets), classes))
    for k in range(FOLDS):
        weights, bias = heads.fit(features[fold != k], targets[fold != k], classes)
        result[fold == k] = metrics.softmax((features[fold == k] @ weights.T + bias).numpy())
    return result


def suspects(probabilities, targets):
    """Per photo the more likely class, or -1."""
    least = np.array([probabilities[targets == k, k].mean() for k in range(probabilities.shape[1])])
    sure = np.where(probabilities >= least, probabilities, 0)
    return np.where((sure.max(1) > 0) & (sure.argmax(1) != targets), sure.argmax(1), -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    rows = [row for row in data.load(options.data) if row["split"] in ("train", "val")]
    backbone = load_backbone(os.path.join(options.model, "backbone.onnx"))
    features = torch.cat([heads.embed(backbone, np.stack([data.squash(row["image"]) for row in part]))
                          for part in np.array_split(np.array(rows, object), 8)])
    labels = taxonomy.HEADS["defects"]
    targets = torch.tensor([row["classes"][2] for row in rows])
    likely = suspects(held_out_probabilities(features, targets, [row["group"] for row in rows], len(labels)), targets.numpy())
    with open(os.path.join(os.path.dirname(__file__), "suspects.csv"), "w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["file", "split", "label", "likely"])
        writer.writerows([row["file"], row["split"], labels[row["classes"][2]], labels[k]]
                         for row, k in zip(rows, likely) if k >= 0)

    train = np.array([row["split"] == "train" for row in rows])
    print({name: [int(((likely >= 0) & here).sum()), int(here.sum())]
           for name in sorted({row["set"] for row in rows})
           for here in [np.array([row["set"] == name for row in rows])]})
    for title, used in (("all", train), ("without suspects", train & (likely < 0))):
        weights, bias = heads.fit(features[used], targets[used], len(labels))
        right = (features[~train] @ weights.T + bias).argmax(1).numpy() == targets[~train].numpy()
        concrete = np.array([row["set"] == "sdnet2018" for row in rows])[~train]
        print(f"fitted to {title}: {used.sum()} photos, val {right.mean():.4f}, val of sdnet2018 {right[concrete].mean():.4f}, "
              f"val without suspects {right[likely[~train] < 0].mean():.4f}")


if __name__ == "__main__":
    main()
