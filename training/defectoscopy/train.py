"""Train, calibrate and export the defectoscopy model: DATA_FOLDER and PACKAGE -> backbone.onnx, heads.json, evaluation.json."""
import argparse
import json
import os
import time

import numpy as np
import torch

import data
import export
import finetune
import heads
import metrics
import network
import taxonomy
import thresholds
import weights


def rounded(array, digits=7):
    """Nested lists of floats with `digits` significant digits: float32 holds no more, and the file stays small."""
    array = np.asarray(array, np.float64)
    return [rounded(row, digits) for row in array] if array.ndim > 1 else [float(f"%.{digits}g" % x) for x in array]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="folder with labels.csv and the tars it names")
    parser.add_argument("out", help="folder for backbone.onnx and heads.json")
    parser.add_argument("--package", required=True, help=f"the npm tarball of {weights.PACKAGE}")
    parser.add_argument("--work", required=True, help="folder for the checkpoint and evaluation.json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--epochs", type=int, default=finetune.RECIPE["epochs"])
    parser.add_argument("--checkpoint", help="take this fine-tuned model instead of training")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    begun = time.time()
    for folder in (options.out, options.work):
        os.makedirs(folder, exist_ok=True)

    rows = data.load(options.data)
    split = {name: [row for row in rows if row["split"] == name] for name in ("train", "val", "test")}
    squashed = {name: np.stack([data.squash(row["image"]) for row in split[name]]) for name in ("val", "test")}
    classes = {name: np.array([row["classes"] for row in split[name]]) for name in split}

    backbone = network.Backbone()
    backbone.load_state_dict(weights.state_dict(weights.read_package(options.package)))
    recipe = {**finetune.RECIPE, "epochs": options.epochs}
    if options.checkpoint:
        model = finetune.Classifier(backbone, recipe["dropout"]).to(memory_format=torch.channels_last)
        model.load_state_dict(torch.load(options.checkpoint))
    else:
        model = finetune.finetune(backbone, split["train"], (squashed["val"], classes["val"]), recipe, options.seed,
                                  checkpoint=os.path.join(options.work, "model.pt"))

    # Heads on the training images as they are served, calibration on val; test is only measured.
    features = {name: heads.embed(model.backbone, images) for name, images in squashed.items()}
    features["train"] = torch.cat([heads.embed(model.backbone, np.stack([data.squash(row["image"]) for row in part]))
                                   for part in np.array_split(np.array(split["train"], object), 8)])
    result = {"heads": {}, "created": time.strftime("%Y-%m-%d"), "seed": options.seed, "recipe": recipe,
              "counts": {name: len(split[name]) for name in split}}
    file = {"format": 1, "features": network.FEATURES,
            "map": {"channels": network.FEATURES, "offset": 0}, "heads": {}}
    for h, (name, labels) in enumerate(taxonomy.HEADS.items()):
        true = {part: torch.from_numpy(classes[part][:, h]) for part in classes}
        refitted = heads.fit(features["train"], true["train"], len(labels))
        groups = [row["group"] for row in split["val"]]
        _, share, decay = heads.choose(refitted, model.linear(name), features["val"], true["val"], groups)
        raw = heads.mixture(refitted, model.linear(name), share, features["val"])
        w, b, t = heads.calibrate(*raw, features["val"], true["val"], decay)
        file["heads"][name] = {"labels": labels, "temperature": round(t, 4), "bias": rounded(b), "weights": rounded(w)}
        record = {"temperature": round(t, 4), "share": share, "scale_decay": decay}
        for part in squashed:
            target = true[part].numpy()
            before = metrics.softmax((features[part] @ raw[0].T + raw[1]).numpy())
            after = metrics.softmax((features[part] @ w.T + b).numpy() / t)
            record[part] = {
                "accuracy": metrics.accuracy(after, target),
                "calibration_error_before": metrics.calibration_error(before, target),
                "calibration_error": metrics.calibration_error(after, target),
                "reliability": metrics.reliability(after, target),
                "confusion": metrics.confusion(after.argmax(1), target, len(labels)).tolist(),
                "by_set": {key: [len(here), metrics.accuracy(after[here], target[here])]
                           for key in sorted({(row["set"], row["surface"]) for row in split[part]})
                           for here in [[i for i, row in enumerate(split[part]) if (row["set"], row["surface"]) == key]]}}
            record[part]["by_set"] = {f"{s}, {surface}": v for (s, surface), v in record[part]["by_set"].items()}
            if name == "surface":
                plain = np.array([not data.contradicted(row) for row in split[part]])
                record[part]["contradicted"] = int((~plain).sum())
                record[part]["accuracy_uncontradicted"] = metrics.accuracy(after[plain], target[plain])
            if name == "defects":
                sound = labels.index(taxonomy.SOUND)
                if part == "val":
                    result["threshold"], result["threshold_curve"] = thresholds.listing(after, target, sound)
                listed = np.delete(after, sound, 1) >= result["threshold"]
                truth = np.delete(np.eye(len(labels), dtype=bool)[target], sound, 1)
                hit = int((listed & truth).sum())
                record[part]["listing"] = {"precision": hit / int(listed.sum()), "recall": hit / int(truth.sum()),
                                           "sound_without_list": float((~listed.any(1))[target == sound].mean())}
        result["heads"][name] = record
        print(name, {part: {k: round(v, 4) for k, v in record[part].items() if isinstance(v, float)} for part in squashed})

    export.backbone_onnx(model.backbone, data.SIZE, os.path.join(options.out, "backbone.onnx"),
                         heads.place(model.backbone, np.stack([data.squash(row["image"]) for row in split["train"][::3]])))
    with open(os.path.join(options.out, "heads.json"), "w") as stream:
        json.dump(file, stream, separators=(",", ":"))
        stream.write("\n")
    result["minutes"] = round((time.time() - begun) / 60, 1)
    with open(os.path.join(options.work, "evaluation.json"), "w") as stream:
        json.dump(result, stream, indent=1)


if __name__ == "__main__":
    main()
