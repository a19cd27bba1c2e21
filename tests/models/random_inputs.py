"""Seeded random inputs of the exported models."""

import torch
from torch import nn


def normal(*shape, seed=1):
    """Normal float32 values."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def integers(low, high, *shape, seed=1):
    """int64 values in [low, high)."""
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def image(size, batch=1, channels=3, seed=1):
    """A batch of random images with coarse and fine structure, near deviation 1; no two have the same mean."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(batch, channels, 5, 5, generator=generator)
    fine = torch.randn(batch, channels, size, size, generator=generator)
    smooth = nn.functional.interpolate(coarse, size=(size, size), mode="bicubic", align_corners=True)
    return smooth + 0.4 * fine
