"""Which confidence lets a defect into the list of found defects, chosen on the validation split."""
import numpy as np


def listing(probabilities, targets, sound):
    """The one threshold with the best micro F1 of the listed defects, and its curve.

    One for all classes: most have 5 to 35 validation images, too few for a threshold each. `probabilities` [N,K] of the
    defects head, `sound` its class that is never listed. Ties go to the middle of the best range.
    """
    defects = np.delete(probabilities, sound, 1)
    truth = np.delete(np.eye(probabilities.shape[1], dtype=bool)[targets], sound, 1)
    curve = []
    for threshold in np.round(np.arange(0.10, 0.91, 0.01), 2):
        listed = defects >= threshold
        hit = int((listed & truth).sum())
        precision, recall = hit / max(1, int(listed.sum())), hit / int(truth.sum())
        curve.append((float(threshold), precision, recall, 2 * precision * recall / max(1e-9, precision + recall)))
    best = max(row[3] for row in curve)
    # The curve is flat and noisy around its top: take the middle of what lies within a tenth of a point.
    near = [row[0] for row in curve if row[3] >= best - 0.001]
    chosen = near[len(near) // 2]
    return chosen, curve
