"""Fine-tuning of the backbone with three linear heads on its pooled features."""
import copy
import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import data
import metrics
import network
import taxonomy

RECIPE = {
    "epochs": 12, "batch": 32, "rate": 3e-4, "head_rate": 1e-3, "decay": 0.05, "warmup": 150,  # steps
    "smoothing": 0.05, "mixup": 0.2, "average": 0.998,  # of the weights, per step
    "loss": {"surface": 0.7, "masters": 0.5, "defects": 1.0}, "dropout": 0.2, "least": 0.6, "frozen": 3,  # the stem and two blocks
}


class Classifier(nn.Module):
    """The backbone and one linear layer per head: image [N,3,S,S] -> {head: logits [N,K]}."""

    def __init__(self, backbone, dropout):
        super().__init__()
        self.backbone = backbone
        # The pooled maps differ in scale by an order of magnitude; a plain affine layer makes one learning rate fit.
        self.scale = nn.Parameter(torch.ones(network.FEATURES), requires_grad=False)
        self.shift = nn.Parameter(torch.zeros(network.FEATURES), requires_grad=False)
        self.dropout = nn.Dropout(dropout)
        self.heads = nn.ModuleDict({name: nn.Linear(network.FEATURES, len(labels)) for name, labels in taxonomy.HEADS.items()})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.005)
            nn.init.zeros_(head.bias)

    def forward(self, image):
        features = self.dropout((self.backbone(image)[0] - self.shift) * self.scale)
        return {name: head(features) for name, head in self.heads.items()}

    @torch.no_grad()
    def linear(self, name):
        """Weights [K,D] and bias [K] of one head on the plain features, the affine layer folded in."""
        weights = self.heads[name].weight * self.scale
        return weights, self.heads[name].bias - weights @ self.shift


def standardize(model, images):
    """Set the affine layer from the features of some images, uint8 [N,S,S,3]."""
    from heads import embed
    features = embed(model.backbone, images)
    model.shift.data = features.mean(0)
    model.scale.data = 1 / (features.std(0) + 0.05 * features.std(0).mean())


def batches(rows, recipe, epoch, seed):
    """Augmented batches of one epoch: images float32 [N,3,S,S], classes int64 [N,3]. Prepared one thread ahead."""
    order = np.random.default_rng([seed, epoch]).permutation(len(rows))
    order = order[:len(order) // recipe["batch"] * recipe["batch"]].reshape(-1, recipe["batch"])

    def prepare(step):
        rng = np.random.default_rng([seed, epoch, step])
        views = [data.augment(rows[i]["image"], rng, least=recipe["least"]) for i in order[step]]
        return np.stack(views), torch.tensor([rows[i]["classes"] for i in order[step]])

    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(prepare, 0)
        for step in range(len(order)):
            views, classes = ahead.result()
            if step + 1 < len(order):
                ahead = pool.submit(prepare, step + 1)
            yield data.tensor(views), classes


def finetune(backbone, rows, validation, recipe, seed, log=print, checkpoint=None):
    """The averaged model after all epochs. `rows` are trained on; `validation` (images, classes) is only printed."""
    torch.manual_seed(seed)
    model = Classifier(backbone, recipe["dropout"]).to(memory_format=torch.channels_last)
    standardize(model, np.stack([data.squash(row["image"]) for row in rows[::8]]))
    for part in [model.backbone.stem, *model.backbone.blocks][:recipe["frozen"]]:
        part.requires_grad_(False)
    average = copy.deepcopy(model).requires_grad_(False)
    rated = {"backbone": [], "bias": [], "head": []}
    for name, p in model.named_parameters():
        if p.requires_grad:
            rated["head" if name.startswith("heads") else "bias" if p.ndim == 1 else "backbone"].append(p)
    optimizer = torch.optim.AdamW([
        {"params": rated["backbone"], "lr": recipe["rate"], "weight_decay": recipe["decay"]},
        {"params": rated["bias"], "lr": recipe["rate"], "weight_decay": 0.0},
        {"params": rated["head"], "lr": recipe["head_rate"], "weight_decay": recipe["decay"]}])
    total = recipe["epochs"] * (len(rows) // recipe["batch"])
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(
        (step + 1) / recipe["warmup"], 0.5 * (1 + math.cos(math.pi * step / total))))
    mix = np.random.default_rng([seed, 7])
    step, begun = 0, time.time()
    for epoch in range(recipe["epochs"]):
        model.train()
        running = 0.0
        for images, classes in batches(rows, recipe, epoch, seed):
            share = mix.beta(recipe["mixup"], recipe["mixup"]) if recipe["mixup"] else 1.0
            if share < 1:
                other = torch.from_numpy(mix.permutation(len(images)))
                images = images.mul(share).add_(images[other], alpha=1 - share)
            logits = model(images)
            loss = 0
            for h, (name, weight) in enumerate(recipe["loss"].items()):
                here = F.cross_entropy(logits[name], classes[:, h], label_smoothing=recipe["smoothing"])
                if share < 1:
                    here = share * here + (1 - share) * F.cross_entropy(
                        logits[name], classes[other, h], label_smoothing=recipe["smoothing"])
                loss = loss + weight * here
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            step += 1
            running += loss.item()
            keep = min(recipe["average"], step / (step + 10))
            with torch.no_grad():
                for a, p in zip(average.parameters(), model.parameters()):
                    if p.requires_grad:
                        a.mul_(keep).add_(p, alpha=1 - keep)
        text = f"epoch {epoch + 1}/{recipe['epochs']} loss {running / (total // recipe['epochs']):.4f}"
        if (epoch + 1) % recipe.get("every", 1) == 0 or epoch + 1 == recipe["epochs"]:
            logits = predict(average, validation[0])
            text += " val " + " ".join(f"{name} {metrics.accuracy(logits[name], validation[1][:, h]):.4f}"
                                       for h, name in enumerate(taxonomy.HEADS))
            if checkpoint:
                torch.save(average.state_dict(), checkpoint)
        log(f"{text} {time.time() - begun:.0f} s", flush=True)
    return average


@torch.no_grad()
def predict(model, images, batch=32):
    """{head: logits, numpy [N,K]} of uint8 images [N,S,S,3]."""
    model.eval()
    parts = [model(data.tensor(images[i:i + batch])) for i in range(0, len(images), batch)]
    return {name: torch.cat([p[name] for p in parts]).numpy() for name in taxonomy.HEADS}
