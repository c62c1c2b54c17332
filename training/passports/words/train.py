"""
Trains the word recognizer: python3 train.py --out FOLDER --seconds 480

Renders samples in processes of its own and, in the last part of the time, mixes in real crops. The learning rate follows the elapsed
share of the time. Writes `weights.npz` (moving averages) every 20 seconds and at the end, and then `results.json`.
"""

import argparse
import copy
import json
import math
import os
import random
import signal
import time

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from alphabet import CHARACTERS, fold
from network import WordNetwork
from pack import load_crops
from render import normalize_height
from samples import WIDTHS, RenderedSamples, Ring, augment, encode, to_input
from texts import read_phrases

HERE = os.path.dirname(os.path.abspath(__file__))
WARMUP = 0.04
"""Share of the time in which the learning rate rises."""
EASY, EASY_SHARE = 3, 0.06
"""The first widths, and the share of the time in which only they are used: short words leave the state of only blanks sooner."""
REPORT_EVERY = 20


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--fonts", default=os.path.join(HERE, "fonts"))
    parser.add_argument("--texts", default=os.path.join(HERE, "texts.txt.xz"))
    parser.add_argument("--crops", default=os.path.join(HERE, "crops.npz"))
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--columns", type=int, help="image columns of a batch")
    parser.add_argument("--real-from", type=float, default=0.6, help="share of the time after which real crops are mixed in")
    parser.add_argument("--real-epochs", type=float, default=40, help="most uses of each real crop")
    parser.add_argument("--real-share", type=float, default=0.5, help="of a batch, once real crops are mixed in")
    parser.add_argument("--refill", type=int, default=1, help="steps between two looks for rendered samples; more leave processors to the training")
    parser.add_argument("--threads", type=int, default=1, help="of the training on a processor")
    parser.add_argument("--start", help="weights to start from")
    parser.add_argument("--step", type=int, default=4, help="pixel columns per step of the output: 4 or 2")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def decode(best):
    """Greedy CTC decoding of the best classes per step."""
    text, last = [], 0
    for one in best:
        if one != 0 and one != last:
            text.append(CHARACTERS[one - 1])
        last = one
    return "".join(text).strip()


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (one != other))
    return row[-1]


def accuracy(read, truths):
    """`(exact share, character error rate)`, folded: twins, dashes and spaces do not count."""
    pairs = [(fold(one), fold(other)) for one, other in zip(read, truths)]
    right = sum(a == b for a, b in pairs)
    errors = sum(edit_distance(a, b) for a, b in pairs)
    return right / max(1, len(pairs)), errors / max(1, sum(len(b) for _, b in pairs))


def read_images(network, images, device):
    """The texts of uint8 images."""
    texts = [""] * len(images)
    order = sorted(range(len(images)), key=lambda i: images[i].shape[1])
    network.eval()
    for start in range(0, len(order), 64):
        batch = order[start : start + 64]
        width = math.ceil(max(images[i].shape[1] for i in batch) / 16) * 16
        padded = np.full((len(batch), images[0].shape[0], width), 255, np.uint8)
        for row, i in enumerate(batch):
            padded[row, :, : images[i].shape[1]] = images[i]
        with torch.no_grad():
            best = network(to_input(torch.from_numpy(padded).to(device))).argmax(2).cpu().tolist()
        for row, i in enumerate(batch):
            # Padding prints nothing.
            texts[i] = decode(best[row])
    return texts


class Average:
    """Exponential moving average of the weights."""

    def __init__(self, network):
        self.network = copy.deepcopy(network).eval()
        self.steps = 0

    @torch.no_grad()
    def update(self, network):
        self.steps += 1
        keep = min(0.999, (1 + self.steps) / (10 + self.steps))
        for mine, other in zip(self.network.state_dict().values(), network.state_dict().values()):
            if mine.dtype.is_floating_point:
                mine.lerp_(other.detach(), 1 - keep)
            else:
                mine.copy_(other)

    def save(self, path):
        arrays = {name: value.detach().cpu().numpy() for name, value in self.network.state_dict().items()}
        with open(f"{path}.part", "wb") as file:
            np.savez(file, **arrays)
        os.replace(f"{path}.part", path)


def load_real(path, ring):
    """Adds the training crops to the ring; returns the validation crops with their scaled `image`."""
    crops = load_crops(path) if os.path.exists(path) else []
    for crop in crops:
        crop["image"] = normalize_height(Image.fromarray(crop["image"]))
    training = [(crop["image"], crop["truth"]) for crop in crops if not crop["isValidation"]]
    if training:
        ring.add(encode([one for one in training if len(one[1]) * 4 + 4 <= one[0].shape[1]]))
    return [crop for crop in crops if crop["isValidation"] and crop["isRandom"]]


def main():
    options = parse_arguments()
    started = time.time()
    os.makedirs(options.out, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    is_cuda = options.device.startswith("cuda")
    rendered = RenderedSamples(options.workers, options.fonts, read_phrases(options.texts), options.seed * 1000)
    if not is_cuda:
        torch.set_num_threads(options.threads)
    try:
        train(options, rendered, started, is_cuda)
    finally:
        rendered.close()


def train(options, rendered, started, is_cuda):
    device = options.device
    columns = options.columns or (80_000 if is_cuda else 5000)
    ring = Ring(60_000 if is_cuda else 3000, device)
    real = Ring(60_000 if is_cuda else 20_000, device)
    validation = load_real(options.crops, real)
    shown = validation if is_cuda else validation[:: max(1, len(validation) // 250)]
    print(f"{sum(real.added)} real crops; {len(validation)} for validation; {device}, torch {torch.__version__}", flush=True)
    report_others(shown)

    network = WordNetwork(len(CHARACTERS) + 1, step=options.step).to(device)
    if options.start:
        with np.load(options.start) as weights:
            network.load_state_dict({name: torch.from_numpy(weights[name]) for name in weights.files})
    average = Average(network)
    decayed = [p for p in network.parameters() if p.ndim > 1]
    others = [p for p in network.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=options.rate, betas=(0.9, 0.98))
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))

    seen = 0
    while seen < (5000 if is_cuda else 90):
        seen += rendered.take(ring, 1, wait=True)
    used, real_used, steps, losses, reported = 0, 0, 0, [], time.time()
    weights_path = os.path.join(options.out, "weights.npz")
    while not stop:
        share = (time.time() - started) / options.seconds
        if share >= 1:
            break
        rate = options.rate * min(share / WARMUP, 0.5 + 0.5 * math.cos(math.pi * share)) + 1e-6
        for group in optimizer.param_groups:
            group["lr"] = rate
        if steps % options.refill == 0:
            seen += rendered.take(ring, 8)
        bucket = choose_bucket(ring, EASY if share < EASY_SHARE else len(WIDTHS))
        size = max(8, columns // WIDTHS[bucket])
        phase = max(0.0, (share - options.real_from) / (1 - options.real_from))
        left = int(options.real_epochs * sum(real.added) * phase - real_used)
        reals = max(0, min(int(size * options.real_share), left)) if real.count(bucket) >= 8 else 0
        parts = [ring.draw(bucket, size - reals)] + ([real.draw(bucket, reals)] if reals else [])
        images, labels, lengths = (torch.cat(arrays) for arrays in zip(*parts))
        loss = train_step(network, optimizer, augment(to_input(images)), labels, lengths, is_cuda)
        average.update(network)
        losses.append(loss)
        used, real_used, steps = used + size, real_used + reals, steps + 1
        if time.time() - reported > REPORT_EVERY:
            mean = torch.stack(losses).mean().item()
            read = read_images(average.network, [crop["image"] for crop in shown], device)
            exact, errors = accuracy(read, [crop["truth"] for crop in shown])
            print(
                f"{time.time() - started:5.0f} s  steps {steps}  loss {mean:.3f}  exact {exact:.3f}  CER {errors:.4f}  "
                f"rendered {seen}  used {used} (real {real_used})",
                flush=True,
            )
            average.save(weights_path)
            losses, reported = [], time.time()
    average.save(weights_path)
    finish(options, average.network, validation, device)


def choose_bucket(ring, count):
    """One of the `count` narrowest, in proportion to the columns of its samples, as a batch has a fixed number of columns."""
    buckets = [i for i in range(count) if ring.count(i) >= 8]
    return random.choices(buckets, [ring.added[i] * WIDTHS[i] for i in buckets])[0]


def train_step(network, optimizer, x, labels, lengths, is_cuda):
    """Returns the loss, a tensor, without waiting for the device."""
    network.train()
    with torch.autocast("cuda" if is_cuda else "cpu", dtype=torch.bfloat16, enabled=is_cuda):
        logits = network(x)
    log_probabilities = functional.log_softmax(logits.float(), dim=2).transpose(0, 1)
    steps = torch.full((len(x),), log_probabilities.shape[0], dtype=torch.int64, device=x.device)
    loss = functional.ctc_loss(log_probabilities, labels.long(), steps, lengths, zero_infinity=True)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
    optimizer.step()
    return loss.detach()


def report_others(crops):
    if not crops:
        return {}
    truths = [crop["truth"] for crop in crops]
    results = {name: accuracy([crop[name] for crop in crops], truths) for name in ("text", "product")}
    for name, (exact, errors) in results.items():
        print(f"{'Tesseract' if name == 'text' else 'product'}: exact {exact:.3f}  CER {errors:.4f}  ({len(crops)} crops)", flush=True)
    return results


def finish(options, network, validation, device):
    """Measures all validation crops."""
    if not validation:
        return
    read = read_images(network, [crop["image"] for crop in validation], device)
    truths = [crop["truth"] for crop in validation]
    results = {name: value for name, value in report_others(validation).items()}
    results["network"] = accuracy(read, truths)
    both = [not (fold(one) == fold(crop["truth"]) or fold(crop["text"]) == fold(crop["truth"])) for one, crop in zip(read, validation)]
    print(f"network:   exact {results['network'][0]:.3f}  CER {results['network'][1]:.4f}; both wrong {np.mean(both):.3f}", flush=True)
    wrong = [
        {"truth": crop["truth"], "read": one, "tesseract": crop["text"], "product": crop["product"]}
        for one, crop in zip(read, validation)
        if fold(one) != fold(crop["truth"]) or fold(crop["product"]) != fold(crop["truth"])
    ]
    with open(os.path.join(options.out, "results.json"), "w", encoding="utf-8") as file:
        json.dump({"accuracy": results, "wrong": wrong}, file, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
