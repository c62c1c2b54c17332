"""manifest.json and card.md of a trained model, from what train.py and serve_check.mjs measured."""
import argparse
import hashlib
import json
import os

import metrics
import network
import taxonomy
import weights

SETS = [
    ("SDNET2018", "Dorafshan, Thomas, Maguire 2018; a balanced sample of walls, bridge decks, pavements", "CC BY 4.0", ""),
    ("CrackCV brick walls", "brick walls with and without cracks", "none stated",
     "No licence is stated: ask a lawyer before relying on it commercially, or train without it."),
    ("Roboflow \"new-crack-classification\" v1", "cracks in concrete walls by direction, merged here into `crack`", "CC BY 4.0", ""),
    ("Virginia Tech \"Corrosion Condition State\"", "doi 10.7294/16624663; crops cut by its masks", "see the data set's page", ""),
    ("NEU surface defects", "Song, Yan; rolled steel", "free for research, no formal licence",
     "Offered for research; no formal licence."),
    ("Magnetic tile defects", "Huang, Qiu, Yuan 2018", "\"welcomed to use, please cite\"", ""),
]
REPRODUCE = "bash training/defectoscopy/train.sh DATA_FOLDER OUT_FOLDER"


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def percent(x):
    return f"{100 * x:.1f} %"


def table(header, rows):
    lines = ["| " + " | ".join(str(cell) for cell in header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def per_class(labels, confusion):
    """Rows label, precision, recall, support from counts [true][predicted]."""
    rows = []
    for k, label in enumerate(labels):
        hit, support, named = confusion[k][k], sum(confusion[k]), sum(row[k] for row in confusion)
        rows.append([f"`{label}`", percent(hit / named) if named else "–", percent(hit / support) if support else "–", support])
    return rows


def manifest(folder, version, evaluation, serving, size):
    names = ["backbone.onnx", "heads.json"]
    return {
        "service": "defectoscopy", "version": version, "created": evaluation["created"],
        "input": {
            "name": "image", "type": "uint8", "layout": "NHWC", "width": size, "height": size, "colour": "RGB",
            "normalisation": "inside backbone.onnx", "upright": "rotate by EXIF first",
            "resize": "fill: the whole image stretched to width x height (sharp: fit 'fill', default kernel)"},
        "outputs": {
            "features": ["N", network.FEATURES], "map": ["N", network.FEATURES, size // 32, size // 32],
            "map_offset": 0,
            "note": "features[map_offset + c] is the mean of map[c] over its cells"},
        "files": {name: {"bytes": os.path.getsize(os.path.join(folder, name)), "sha256": digest(os.path.join(folder, name))}
                  for name in names},
        "taxonomy": {"version": 1, "surfaces": taxonomy.SURFACES, "masters": taxonomy.MASTERS, "sound": taxonomy.SOUND},
        "thresholds": {"defects": {label: evaluation["threshold"] for label in taxonomy.DEFECT_MASTER}},
        "metrics": {
            part: {name: {"accuracy": round(head[part]["accuracy"], 4),
                          "calibration_error": round(head[part]["calibration_error"], 4)}
                   for name, head in evaluation["heads"].items()} | {"images": evaluation["counts"][part]}
            for part in ("val", "test")},
        "serving": serving,
        "backbone": {"architecture": "MobileNetV2 1.0", "package": weights.PACKAGE, "sha256": weights.PACKAGE_SHA256,
                     "licence": weights.PACKAGE_LICENCE, "trained_first_on": "COCO (object detection)"},
        "data": [{"name": name, "what": what, "licence": licence, **({"caution": caution} if caution else {})}
                 for name, what, licence, caution in SETS],
        "licence": "The weights are the project's own fine-tuning of Apache-2.0 weights. The images are not included; some of "
                   "the sets state no licence or offer research use only: see data.",
        "training": {"command": REPRODUCE, "seed": evaluation["seed"], "recipe": evaluation["recipe"]},
    }


def card(m, evaluation, serving):
    heads = evaluation["heads"]
    labels = taxonomy.HEADS
    text = [f"""# Defectoscopy model {m['version']}

Says what a photo of a building or product surface shows: the surface (7 classes), the group of the defect (5 groups and
`sound`), and the defect (14 classes and `sound`), with calibrated confidences and a heatmap.

- **Network:** MobileNetV2 1.0, 2.2 million parameters, input {m['input']['width']} × {m['input']['height']}; three linear heads on 2048 pooled features.
- **Start weights:** `{weights.PACKAGE}` (npm; SHA-256 `{weights.PACKAGE_SHA256}`; Apache-2.0), a COCO object detector,
  fine-tuned here on CPU.
- **Files:** `backbone.onnx` (image → features and map), `heads.json` (labels, weights, bias, temperature), `familiarity.json`,
  `replay.json` (128 coordinates and the logits of each training, validation and test photo, not the pictures), `manifest.json` (input rule, hashes, taxonomy, thresholds, metrics). Layouts: `training/defectoscopy/README.md`.
- **Reproduce:** `{REPRODUCE}` (seed {evaluation['seed']}). Another machine or thread count gives slightly other weights.

## Intended use

A first look at photos of concrete walls and slabs, pavements, brick walls, steel structures, rolled steel and magnetic
(ceramic) tiles: sorting, pointing at the place, a second pair of eyes. Not a structural assessment: nobody should call a
building safe because this model listed nothing.
""", "## Accuracy\n\nSplit by photo, tile or part: images of one group are all in one split. The test split chose nothing.\n",
            table(["head", "val", "test", "test as served (sharp, onnxruntime-node)"],
                  [[name, percent(head["val"]["accuracy"]), percent(head["test"]["accuracy"]),
                    percent(serving["splits"]["test"][name]["accuracy"]) if serving else "–"] for name, head in heads.items()]),
            f"""
{evaluation['counts']['train']} training, {evaluation['counts']['val']} validation, {evaluation['counts']['test']} test images. Defects: top-1 over the 14 defects and `sound`.

Part of the set wall-crack-types is tiles of SDNET2018 photos of pavements and bridge decks, labelled `concrete_wall` there
({heads['surface']['test']['contradicted']} in test, {heads['surface']['val']['contradicted']} in val): sdnet2018 itself calls such tiles `pavement` and `concrete_slab`, so no model can be right on
both. Without them the surface is right for {percent(heads['surface']['test']['accuracy_uncontradicted'])} of the test images ({percent(heads['surface']['val']['accuracy_uncontradicted'])} of val). Tiles in train or val whose photo
lies in a later split were left out; the other way round some test tiles of wall-crack-types show photos that training saw
other tiles of, so the figure of that set is a little too good.
"""]
    text.append("### By data set (test)\n")
    keys = list(heads["surface"]["test"]["by_set"])
    text.append(table(["set, surface", "images", *heads], [
        [key, heads["surface"]["test"]["by_set"][key][0], *(percent(heads[name]["test"]["by_set"][key][1]) for name in heads)]
        for key in keys]))
    for name in heads:
        text.append(f"\n### {name.capitalize()}: by class (test)\n")
        text.append(table(["class", "precision", "recall", "images"], per_class(labels[name], heads[name]["test"]["confusion"])))
        text.append("\nConfusion, rows true, columns predicted:\n")
        text.append(table(["", *range(1, len(labels[name]) + 1)], [
            [f"{k + 1} `{label}`", *(f"**{n}**" if j == k else n or "·" for j, n in enumerate(heads[name]["test"]["confusion"][k]))]
            for k, label in enumerate(labels[name])]))
    listing = heads["defects"]["test"]["listing"]
    text.append(f"""
### Listing

A defect is listed when its confidence reaches {evaluation['threshold']:.2f} (one threshold for all classes, the best micro F1 on val). On test: precision
{percent(listing['precision'])}, recall {percent(listing['recall'])} of the true defects; {percent(listing['sound_without_list'])} of the sound images have an empty list.

## Calibration

Per head a temperature, and per class a scale and a shift held near 1 and 0 (folded into the weights), fitted on val: its
error there looks a little better than it is. Expected calibration error: 15 equal bins of the top-1 confidence. On so few test
images a perfectly calibrated model would show about 0.01 to 0.02.
""")
    text.append(table(["head", "temperature", "val before", "val after", "test before", "test after"], [
        [name, head["temperature"], *(f"{head[part][key]:.3f}" for part in ("val", "test")
                                      for key in ("calibration_error_before", "calibration_error"))]
        for name, head in heads.items()]))
    text.append("\nReliability on test, after: images, mean confidence, accuracy per bin.\n")
    rows = []
    for b in range(metrics.BINS):
        cells = []
        for head in heads.values():
            n, confidence, right = head["test"]["reliability"][b]
            cells.append(f"{n}: {confidence:.2f} → {right:.2f}" if n else "")
        if any(cells):
            rows.append([f"{b / metrics.BINS:.2f}–{(b + 1) / metrics.BINS:.2f}", *cells])
    text.append(table(["confidence", *heads], rows))
    if serving:
        text.append(f"""
## Speed

`backbone.onnx`, one image, one thread, onnxruntime-node {serving['versions']['onnxruntime-node']}: median {serving['latency_ms']['median']:.1f} ms, 95th percentile
{serving['latency_ms']['p95']:.1f} ms on one core of a shared server CPU. Decoding a phone photo costs more than the network.""")
    text.append("""
## Limits

- **It knows only its classes.** Mould, stains, efflorescence, peeling paint, bad joints, wood, plaster, glass: it was shown
  none, and will name the nearest class it knows, at times with confidence. Train your own classes for these.
- **Unfamiliar photos** (people, rooms, documents) get a surface and a defect too. `familiarity.json` has statistics of the training
  photos' features; results of photos that differ have the warning `UNFAMILIAR_IMAGE`. `node bench/familiarity.mjs DATA_FOLDER` measures it.
- **Scale.** The training images are close-ups: most show a few centimetres or decimetres of a surface. In a photo of a whole facade shrunk to 256 pixels, a thin
  crack is gone: send close-ups or tiles.
- **Concrete cracks are the hard part.** Hairlines of one or two pixels, form marks, joints and stains are confused with each
  other, by people too. The figure in the table by data set is the honest one; higher ones in papers come from splits that mix tiles of one photo.
- **Labels.** Confident learning suspects 189 of the 5676 training and validation labels (`training/defectoscopy/suspects.csv`): 96 of corrosion, 82 of
  SDNET2018. Of 20 of the latter labelled as cracked, 17 show no visible crack; of 20 labelled as sound, 8 show one and 7 a joint or an edge. On
  validation images, heads fitted alone are right for 87.4 % of the defects, with and without the suspects in training, and for 92.7 % of those
  without a suspected label. No label was changed.
- **Corrosion grades** are neighbours on a scale: fair, poor and severe are confused more than corrosion is missed.
- **Surface is read from texture and colour** of six image sets, taken with few cameras. Other cameras and light will cost accuracy.
- **Small classes** (`fray`, `blowhole`, `uneven`, `chip`) have 6 to 13 test images: their figures are rough.

## Data
""")
    text.append(table(["set", "content", "licence", "caution"], [list(row) for row in SETS]))
    text.append("""
The images are used for training and measuring only and are not part of the project. The heatmap of class k is
Σ_c W[k, c] · map[c]: the logit itself, told by place, at a resolution of 8 × 8 cells, all three pooled layers included. What
a cell has on average for being where it is (zero padding makes the edges differ) has been taken off the map.
""")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="folder with backbone.onnx and heads.json")
    parser.add_argument("--work", required=True, help="folder with evaluation.json, and serving.json if it was measured")
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--size", type=int, default=256)
    options = parser.parse_args()
    evaluation = json.load(open(os.path.join(options.work, "evaluation.json")))
    path = os.path.join(options.work, "serving.json")
    serving = json.load(open(path)) if os.path.exists(path) else None
    m = manifest(options.out, options.version, evaluation, serving, options.size)
    with open(os.path.join(options.out, "manifest.json"), "w") as stream:
        json.dump(m, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
    with open(os.path.join(options.out, "card.md"), "w") as stream:
        stream.write(card(m, evaluation, serving))


if __name__ == "__main__":
    main()
