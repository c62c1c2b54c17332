"""Trains the field network. Usage: python3 train.py DATA OUT [--minutes 60 | --steps N] [--start FILE] [--design both|attention|graph]"""
import argparse
import json
import math
import os
import random
import re
import time

import torch
from torch.nn import functional as F

import data
from network import BUCKETS, FieldNetwork

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("out")
parser.add_argument("--validation", required=True)
parser.add_argument("--classes", required=True, help="classes.json")
parser.add_argument("--minutes", type=float, default=60)
parser.add_argument("--steps", type=int, help="instead of --minutes: the same number of steps on any machine; new shards are not opened")
parser.add_argument("--rate", type=float, default=2e-3)
parser.add_argument("--tokens", type=int, default=5000)
parser.add_argument("--width", type=int, default=160)
parser.add_argument("--layers", type=int, default=4)
parser.add_argument("--design", default="both")
parser.add_argument("--start")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--warmup", type=int, default=300, help="steps with a rising rate")
options = parser.parse_args()
if options.steps is not None and options.steps < 1:
    parser.error("--steps is at least 1")
torch.set_num_threads(options.threads)
torch.manual_seed(options.seed)
random.seed(options.seed)
os.makedirs(options.out, exist_ok=True)
names = json.load(open(options.classes))
classes, labels = names["classes"], names["labels"]
ROOMS = torch.tensor([name.startswith("rooms:") for name in classes])
PARTS = torch.tensor([name.startswith("address.") for name in classes])

# A class or label that is left out of the loss.
UNKNOWN = 255

# Processors without instructions for it emulate bfloat16: products of 512 × 512 matrices are 25 times slower than in float32 (AVX2).
CPU = open("/proc/cpuinfo").read() if os.path.exists("/proc/cpuinfo") else "bf16"
HAS_BFLOAT16 = re.search(r"\b(avx512_bf16|amx_bf16|bf16)\b", CPU) is not None

network = FieldNetwork(len(classes), len(labels), options.width, options.layers, attends=options.design != "graph", mixes=options.design != "attention")
if options.start:
    network.load_state_dict(torch.load(options.start)["weights"])
print("parameters", sum(p.numel() for p in network.parameters()), flush=True)
decayed = [p for p in network.parameters() if p.dim() > 1]
others = [p for p in network.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0}], lr=options.rate, betas=(0.9, 0.98))


def hide_words(grams):
    """Drops n-grams, and sometimes the whole word, so that no single spelling is relied on."""
    keep = torch.rand(grams.shape) > 0.08
    keep[..., 0] &= torch.rand(grams.shape[:-1]) > 0.3
    keep &= (torch.rand(grams.shape[:-1]) > 0.04).unsqueeze(-1)
    return grams * keep


def losses(batch, train):
    grams = hide_words(batch["grams"]) if train else batch["grams"]
    mask, known = batch["mask"], batch["classes"] != UNKNOWN
    truth = batch["classes"] * known
    with torch.cpu.amp.autocast(dtype=torch.bfloat16, enabled=train and HAS_BFLOAT16):
        logits, label_logits, pairs = network(grams, batch["numbers"], batch["places"], batch["neighbours"], mask)
    logits, label_logits, pairs = logits.float(), label_logits.float(), pairs.float()
    loss = F.cross_entropy(logits[mask], batch["classes"][mask], ignore_index=UNKNOWN)
    labelled = (mask & (batch["labels"] != UNKNOWN)).sum().clamp(min=1)
    label_loss = F.cross_entropy(label_logits[mask], batch["labels"][mask], ignore_index=UNKNOWN, reduction="sum") / labelled
    rooms, parts = ROOMS[truth], PARTS[truth]
    alike = (truth.unsqueeze(1) == truth.unsqueeze(2)) | (rooms.unsqueeze(1) & rooms.unsqueeze(2)) | (parts.unsqueeze(1) & parts.unsqueeze(2))
    some = (truth > 0) & mask
    both = alike & some.unsqueeze(1) & some.unsqueeze(2)
    same = (batch["groups"].unsqueeze(1) == batch["groups"].unsqueeze(2)).float()
    weight = both.float()
    pair_loss = ((F.softplus(pairs) - pairs * same) * weight).sum() / weight.sum().clamp(min=1)
    return loss, label_loss, pair_loss, logits, pairs, both, same


def evaluate(shards):
    network.eval()
    found = wanted = right = pages = 0
    total = pair_right = pair_all = 0.0
    stream = data.batches(shards, 8000, 1)
    size = sum(len(s.counts) for s in shards)
    with torch.no_grad():
        while pages < size:
            batch = next(stream)
            pages += len(batch["mask"])
            loss, _, _, logits, pairs, both, same = losses(batch, False)
            guess = logits.argmax(-1)
            truth, mask = batch["classes"], batch["mask"] & (batch["classes"] != UNKNOWN)
            found += ((guess > 0) & mask).sum().item()
            wanted += ((truth > 0) & mask).sum().item()
            right += ((guess == truth) & (truth > 0) & mask).sum().item()
            total += loss.item() * len(batch["mask"])
            pair_right += ((pairs > 0) == (same > 0))[both].sum().item()
            pair_all += both.sum().item()
    network.train()
    return {"loss": total / pages, "precision": right / max(1, found), "recall": right / max(1, wanted), "pairs": pair_right / max(1, pair_all)}


def save(name, **more):
    torch.save({"weights": network.state_dict(), "options": network.options, "classes": classes, "labels": labels, **more}, os.path.join(options.out, name))


shards = data.open_shards(options.data)
validation = data.open_shards(options.validation)
stream = data.batches(shards, options.tokens, options.seed)
start = time.time()
limit = options.minutes * 60
step = pages = 0
sums = [0.0, 0.0, 0.0]
checked = start
average = {k: v.clone() for k, v in network.state_dict().items()}
while (done := step / options.steps if options.steps else (time.time() - start) / limit) < 1:
    rate = options.rate * min(1, (step + 1) / options.warmup) * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-6
    for group in optimizer.param_groups:
        group["lr"] = rate
    batch = next(stream)
    loss, label_loss, pair_loss, *_ = losses(batch, True)
    optimizer.zero_grad()
    (loss + 0.3 * label_loss + 0.3 * pair_loss).backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    step += 1
    pages += len(batch["mask"])
    for i, one in enumerate((loss, label_loss, pair_loss)):
        sums[i] += one.item()
    if step % 10 == 0:
        with torch.no_grad():
            for k, v in network.state_dict().items():
                average[k].lerp_(v, 0.02) if v.is_floating_point() else average[k].copy_(v)
    if step % 100 == 0:
        print(f"{time.time() - start:.0f} s step {step} pages {pages} rate {rate:.5f} losses " + " ".join(f"{s / 100:.4f}" for s in sums), flush=True)
        sums = [0.0, 0.0, 0.0]
        # New shards may have been written meanwhile.
        if time.time() - checked > 300:
            checked = time.time()
            save("last.pt")
            print("validation", evaluate(validation), flush=True)
            more = shards if options.steps else data.open_shards(options.data)
            if len(more) > len(shards):
                shards = more
                stream = data.batches(shards, options.tokens, options.seed + step)
print("validation", evaluate(validation), flush=True)
save("last.pt")
network.load_state_dict(average)
result = evaluate(validation)
print("averaged", result, flush=True)
save("averaged.pt", validation=result)
