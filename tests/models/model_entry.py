"""What the export scripts need to know about one model, and how random weights are made realistic."""

import dataclasses
import typing

import torch
from torch import nn

from recording import Call


@dataclasses.dataclass
class Entry:
    """A model in eval mode with one call, and optionally its dynamic dimensions and further calls of other sizes."""

    model: nn.Module
    call: Call
    dynamic_shapes: typing.Any = None
    sized_call: typing.Callable[[int], Call] | None = None  # the call for one size of the dynamic dimension
    sizes: tuple[int, ...] = ()
    core: bool = True  # also save the decomposed twin
    compare_in_double: bool = True  # record float64 results if the model is a 16-bit one
    brief: bool = False  # leave source locations out of the archive
    check: bool = True  # refuse outputs of unlikely deviation


def randomise(model, seed=7):
    """Makes the weights that initialisation left constant or tiny random and of use.

    Zero biases, unit scales and 1e-6 layer scales would hide a kernel that forgets them; matrices far smaller than one
    over the root of their fan-in would make a deep model's output independent of its input.
    """
    generator = torch.Generator().manual_seed(seed)

    def normal(parameter):
        return torch.randn(parameter.shape, generator=generator, dtype=torch.float32)

    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, (nn.Linear, nn.modules.conv._ConvNd)) and module.weight.numel() > 1:
                fan_in = module.weight[0].numel()
                if 0 < (deviation := module.weight.std().item()) < 0.8 / fan_in**0.5:
                    module.weight.mul_(1 / (deviation * fan_in**0.5))
        for name, parameter in model.named_parameters():
            if parameter.numel() < 2 or not torch.all(parameter == parameter.flatten()[0]):
                continue
            value = parameter.flatten()[0].item()
            if abs(value) > 0.5:
                parameter.copy_(value * (1 + 0.1 * normal(parameter)))
            elif value != 0 or "gamma" in name or "scale" in name:
                parameter.copy_(0.4 + 0.1 * normal(parameter))
            else:
                parameter.copy_(0.05 * normal(parameter))


def calm_norms(model):
    """Shifts batch and group norms upwards, so that the activations after them are mostly in their linear part.

    Deep random networks are chaotic: without this, rounding in the first layers grows a thousandfold and two correct
    float32 programs disagree by more than the tolerance. Trained networks do not do that.
    """
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, (nn.modules.batchnorm._BatchNorm, nn.GroupNorm)) and module.affine:
                module.bias.add_(1.0)


def settle_batch_norm(model, calls):
    """Sets batch-norm statistics from train-mode passes over random data, then shifts them a little."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm) and m.running_mean is not None]
    if not norms:
        return model.eval()
    for module in model.modules():
        module.training = module in norms
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    with torch.no_grad():
        for call in calls:
            model(*call.args, **call.kwargs)
        generator = torch.Generator().manual_seed(11)
        for norm in norms:
            norm.momentum = 0.1
            noise = torch.randn(norm.running_mean.shape, generator=generator)
            norm.running_mean += 0.05 * noise * norm.running_var.sqrt()
            norm.running_var *= torch.exp(0.1 * torch.randn(norm.running_var.shape, generator=generator))
    return model.eval()


def scale_head(model, head, calls, target=1.0):
    """Rescales `head`, the layer that makes the model's output, so that over `calls` the output varies by `target`.

    If the head has a bias, it also takes away most of the mean, so that the input decides the output.
    """
    with torch.no_grad():
        results = [model(*call.args, **call.kwargs) for call in calls]
        results = [r if isinstance(r, torch.Tensor) else next(iter(r.values())) for r in results]
        rows = torch.cat([r.float().transpose(1, -1).reshape(-1, r.shape[1]) for r in results])
        if getattr(head, "bias", None) is not None and rows.shape[1] == head.bias.shape[0]:
            head.bias.sub_(0.9 * rows.mean(0))
            rows = rows - 0.9 * rows.mean(0)
        for parameter in head.parameters():
            parameter.mul_(target / rows.std().item())
    return model
