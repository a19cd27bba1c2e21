"""Image models of the zoo: torchvision and timm architectures with seeded random weights."""

import timm
import torch
import torchvision
from torch import nn

from model_entry import Entry, calm_norms, randomise, scale_head, settle_batch_norm
from random_inputs import image
from recording import Call

TORCHVISION = {
    # name: (keyword arguments, image size, whether the decomposed twin is saved too)
    "resnet18": ({}, 224, True),
    "resnet50": ({}, 224, False),
    "convnext_tiny": ({}, 224, False),
    "efficientnet_b0": ({}, 224, True),
    "mobilenet_v2": ({}, 224, True),
    "mobilenet_v3_large": ({}, 224, True),
    "shufflenet_v2_x0_5": ({}, 224, True),
    "densenet121": ({}, 224, True),
    "swin_t": ({}, 224, False),
    "squeezenet1_1": ({}, 224, True),
    "regnet_y_400mf": ({}, 224, True),
    "mnasnet0_5": ({}, 224, True),
    "googlenet": ({"aux_logits": False, "init_weights": True}, 224, True),
    "resnext50_32x4d": ({}, 128, False),
    "efficientnet_v2_s": ({}, 128, False),
    "swin_v2_t": ({}, 256, False),
    "inception_v3": ({"aux_logits": False, "init_weights": True}, 299, False),
    "maxvit_t": ({}, 224, False),
    "vit_b_16": ({}, 224, False),
}

TIMM = {
    # name: (image size, whether the decomposed twin is saved too)
    "deit_tiny_patch16_224": (224, True),
    "resnetv2_18": (224, False),
    "resnetv2_50x1_bit": (224, False),
    "mixer_s32_224": (224, False),
    "levit_128s": (224, True),
    "efficientformer_l1": (224, False),
    "regnety_002": (224, True),
    "regnetx_002": (224, False),
    "poolformer_s12": (224, False),
    "repvgg_a0": (224, False),
    "mobileone_s0": (224, False),
    "ghostnet_050": (224, True),
    "mobilevit_xxs": (256, True),
    "mobilevitv2_050": (256, True),
    "convnextv2_atto": (224, True),
    "edgenext_xx_small": (256, True),
    "tiny_vit_5m_224": (224, True),
    "gmlp_ti16_224": (224, False),
    "resmlp_12_224": (224, False),
    "pit_ti_224": (224, False),
    "swin_tiny_patch4_window7_224": (224, True),
    "cait_xxs24_224": (224, False),
    "xcit_nano_12_p16_224": (224, True),
    "crossvit_tiny_240": (240, False),
    "coat_lite_tiny": (224, False),
    "pvt_v2_b0": (224, True),
    "hgnetv2_b0": (224, False),
    "efficientvit_b0": (224, True),
    "efficientvit_m0": (224, True),
    "eva02_tiny_patch14_224": (224, True),
    "fastvit_t8": (256, False),
    "convit_tiny": (224, False),
    "ese_vovnet19b_slim": (224, False),
    "eca_botnext26ts_256": (256, False),
    "hiera_tiny_224": (224, False),
    "gcvit_xxtiny": (224, False),
    "focalnet_tiny_srf": (224, False),
    "vit_tiny_r_s16_p8_224": (224, False),
    "visformer_tiny": (224, False),
    "twins_svt_small": (224, False),
    "davit_tiny": (224, False),
    "tnt_s_patch16_224": (224, False),
    "test_byobnet": (160, True),
    "test_coatnet": (160, True),
    "test_convnext": (160, True),
    "test_efficientnet_gn": (160, True),
    "test_efficientnet_evos": (160, True),
    "test_mambaout": (160, True),
    "test_maxvit": (160, True),
    "test_nfnet": (160, True),
    "test_resnet": (160, True),
    "test_vit2": (160, True),
    "test_vit_relpos": (160, True),
}

# Fewer blocks than published, to keep the archives small; all kinds of block remain.
SHALLOW = {
    "cait_xxs24_224": {"depth": 4},
    "davit_tiny": {"depths": (1, 1, 2, 1)},
    "hiera_tiny_224": {"stages": (1, 1, 2, 1)},
    "swin_tiny_patch4_window7_224": {"depths": (2, 2, 2, 1), "embed_dim": 48},
    "tnt_s_patch16_224": {"depth": 3},
    "twins_svt_small": {"depths": (1, 1, 2, 1)},
}

CONVMIXER = {"dim": 128, "depth": 3, "kernel_size": 7, "patch_size": 7}


def last_layer(model):
    """The last linear or convolution layer in registration order, which makes the logits of these classifiers."""
    return [m for m in model.modules() if isinstance(m, (nn.Linear, nn.Conv2d))][-1]


def classifier_entry(model, size, core, head=None, batch=1):
    """The entry of an image classifier: realistic statistics, logits of deviation about 0.6."""
    randomise(model)
    calm_norms(model)
    several = [Call((image(size, 4, seed=s),)) for s in (2, 3)]
    settle_batch_norm(model, several)
    scale_head(model, head or last_layer(model), several, target=0.6)
    return Entry(model, Call((image(size, batch),)), core=core)


def torchvision_entry(name):
    options, size, core = TORCHVISION[name]
    torch.manual_seed(1)
    model = getattr(torchvision.models, name)(num_classes=100, **options)
    return classifier_entry(model, size, core)


def timm_entry(name):
    size, core = TIMM[name]
    torch.manual_seed(1)
    model = timm.create_model(name, pretrained=False, num_classes=100, **SHALLOW.get(name, {}))
    head = model.get_classifier()
    return classifier_entry(model, size, core, head if isinstance(head, nn.Linear) else None)


def vgg11_bn():
    """VGG-11 with a narrow classifier, so that the archive is 40 MB instead of 500."""
    torch.manual_seed(1)
    model = torchvision.models.vgg11_bn(num_classes=100)
    model.classifier = nn.Sequential(
        nn.Linear(512 * 7 * 7, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, 64), nn.ReLU(True), nn.Dropout(),
        nn.Linear(64, 100))
    return classifier_entry(model, 96, False)


def convmixer():
    torch.manual_seed(1)
    return classifier_entry(timm.models.convmixer.ConvMixer(num_classes=100, **CONVMIXER), 112, True)


def resnet18_batch():
    """ResNet-18 at 64x64 with a dynamic batch of 1 to 16."""
    torch.manual_seed(1)
    entry = classifier_entry(torchvision.models.resnet18(num_classes=10), 64, True, batch=3)
    entry.dynamic_shapes = ({0: torch.export.Dim("batch", min=1, max=16)},)
    entry.sized_call = lambda size: Call((image(64, size, seed=size),))
    entry.sizes = (1, 2, 5, 11, 16)
    return entry


def mobilenet_v3_small_any_size():
    """MobileNetV3-small with dynamic batch, height and width (multiples of 32)."""
    torch.manual_seed(1)
    entry = classifier_entry(torchvision.models.mobilenet_v3_small(num_classes=10), 96, False, batch=2)
    blocks = torch.export.Dim("blocks", min=2, max=8)  # the export adds a guard against 1
    entry.dynamic_shapes = ({0: torch.export.Dim("batch", min=1, max=8), 2: 32 * blocks, 3: 32 * blocks},)
    entry.sized_call = lambda size: Call((image(32 * size, 1 + size % 3, seed=size),))
    entry.sizes = (2, 3, 4, 5, 8)
    return entry


class LogitsOnly(nn.Module):
    """A segmentation model's main output."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def lraspp():
    """Semantic segmentation: bilinear upsampling to the input's size."""
    torch.manual_seed(1)
    model = LogitsOnly(torchvision.models.segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5))
    randomise(model)
    settle_batch_norm(model, [Call((image(160, 4, seed=s),)) for s in (2, 3)])
    return Entry(model, Call((image(160),)))


def as_dtype(build, dtype):
    """The entry of `build` with weights and inputs rounded to a 16-bit type."""
    def make():
        entry = build()
        entry.model.to(dtype)
        entry.call = Call(tuple(a.to(dtype) if a.is_floating_point() else a for a in entry.call.args))
        return entry
    return make


MODELS = {name: (lambda name=name: torchvision_entry(name)) for name in TORCHVISION}
MODELS |= {f"timm_{name}": (lambda name=name: timm_entry(name)) for name in TIMM}
MODELS |= {
    "vgg11_bn": vgg11_bn,
    "timm_convmixer": convmixer,
    "resnet18_batch": resnet18_batch,
    "mobilenet_v3_small_any_size": mobilenet_v3_small_any_size,
    "lraspp": lraspp,
}
for dtype_name, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
    for name in ("resnet18", "mobilenet_v2", "timm_deit_tiny_patch16_224", "timm_test_convnext"):
        MODELS[f"{name}.{dtype_name}"] = as_dtype(MODELS[name], dtype)
