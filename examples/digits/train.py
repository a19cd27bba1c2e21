"""Trains a small convolutional classifier on scikit-learn's bundled digit images and exports it for Ingot.

Writes two files beside this script (or into --output):
  digits.pt2   torch.export archive, input `image` float32 [batch, 1, 8, 8] with batch 1..256, output logits [batch, 10]
  heldout.npz  in0 = the held-out images, out0 = the logits PyTorch computes for them on the CPU;
  labels.npz   labels = the true digits

Needs torch and scikit-learn. The seed, the split and the number of threads are fixed, so a second run on the same
machine and PyTorch writes the same weights.
"""

import argparse
import pathlib
import re

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

SEED = 2024
EPOCHS = 30
BATCH = 64
MAX_BATCH = 256
HELD_OUT = 256
REQUIRED_ACCURACY = 0.97


class DigitNet(nn.Module):
    """Three convolutions with batch norm and ReLU, two max-pools, two linear layers; about 23,000 parameters."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Linear(32 * 2 * 2, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, image):
        return self.classifier(self.features(image).flatten(1))


def load_split():
    """The bundled 1797 images as float32 in [0, 1], split into training and held-out parts, stratified by digit."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    return train_test_split(images, labels, test_size=HELD_OUT, random_state=SEED, stratify=labels)


def train(images, labels):
    """A trained DigitNet in eval mode."""
    model = DigitNet()
    steps = EPOCHS * ((len(images) + BATCH - 1) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=steps)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for index in torch.randperm(len(images)).split(BATCH):
            optimizer.zero_grad()
            loss = loss_of(model(images[index]), labels[index])
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(index)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: training loss {total / len(images):.4f}")
    return model.eval()


def shorten_locations(program):
    """Cuts the machine's folders out of the source locations the archive records for each node."""
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            if trace := node.meta.get("stack_trace"):
                trace = re.sub(r'"[^"]*/(site-packages/)', r'"\1', trace)
                node.meta["stack_trace"] = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    folder = parser.parse_args().output

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train_images, held_images, train_labels, held_labels = map(torch.from_numpy, load_split())
    model = train(train_images, train_labels)

    with torch.no_grad():
        logits = model(held_images)
    accuracy = (logits.argmax(1) == held_labels).float().mean().item()
    print(f"held-out accuracy {accuracy:.4f} on {len(held_labels)} images")
    if accuracy < REQUIRED_ACCURACY:
        raise SystemExit(f"accuracy is below {REQUIRED_ACCURACY}")

    model.requires_grad_(False)
    batch = torch.export.Dim("batch", min=1, max=MAX_BATCH)
    program = torch.export.export(model, (held_images[:2].clone(),), dynamic_shapes={"image": {0: batch}})
    shorten_locations(program)
    torch.export.save(program, folder / "digits.pt2")
    np.savez(folder / "heldout.npz", in0=held_images.numpy(), out0=logits.numpy())
    np.savez(folder / "labels.npz", labels=held_labels.numpy())
    print(f"{sum(p.numel() for p in model.parameters())} parameters, wrote {folder}/digits.pt2 and heldout.npz")


if __name__ == "__main__":
    main()
