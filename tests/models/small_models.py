"""Small models of the kinds Ingot must run: perceptron, convolutions, attention, BERT, mobile net, ViT, Llama decoder.

Each builder takes the type of weights and activations and returns an Entry with seeded random weights. The float32
weights of a 16-bit model are rounded, so the twins of one name differ only by rounding.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import timm  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torchvision.models import mobilenetv3  # noqa: E402

from model_entry import Entry, randomise, scale_head, settle_batch_norm  # noqa: E402
from random_inputs import image, integers, normal  # noqa: E402
from recording import Call  # noqa: E402

CACHE_LENGTH = 32
LLAMA_VOCABULARY = 64


def finish(model, dtype, call, **options):
    """The entry with model and floating-point inputs rounded to `dtype`, in eval mode and without gradients."""
    def rounded(one):
        return Call(tuple(a.to(dtype) if a.is_floating_point() else a for a in one.args))

    if sized := options.get("sized_call"):
        options["sized_call"] = lambda size: rounded(sized(size))
    return Entry(model.eval().requires_grad_(False).to(dtype), rounded(call), brief=dtype != torch.float32, **options)


def layers(dtype):
    """Depth: two layers in float32, fewer in the 16-bit twins, which keeps the committed archives small."""
    return 2 if dtype == torch.float32 else 1


class AddLinear(nn.Module):
    """x + linear(y)."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(10, 16)

    def forward(self, x, y):
        return x + self.linear(y)


def add_linear(dtype):
    return finish(AddLinear(), dtype, Call((normal(10, 16), normal(10, 10, seed=2))))


class Mlp(nn.Module):
    """Linear, GELU, layer norm, linear, softmax."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 10))

    def forward(self, x):
        return self.net(x).softmax(-1)


def mlp_dynamic(dtype):
    model = Mlp()
    randomise(model)
    scale_head(model.net, model.net[3], [Call((normal(64, 24),))], target=2.0)
    return finish(model, dtype, Call((normal(7, 24),)), sizes=(1, 2, 7, 33, 64),
                  dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},),
                  sized_call=lambda size: Call((normal(size, 24, seed=size),)))


class Conv1dNet(nn.Module):
    """The stem of an audio encoder: two 1-d convolutions with GELU, the second of stride 2, then time before channels."""

    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(20, 16, 3, padding=1)
        self.c2 = nn.Conv1d(16, 24, 3, stride=2, padding=1)

    def forward(self, x):
        return F.gelu(self.c2(F.gelu(self.c1(x)))).transpose(1, 2)


def conv1d_net(dtype):
    model = Conv1dNet()
    call = Call((normal(2, 20, 50),))
    scale_head(model, model.c2, [call])
    return finish(model, dtype, call)


class CausalAttention(nn.Module):
    """Multi-head causal self-attention over a joint projection of queries, keys and values."""

    def __init__(self, width, heads):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.o = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(b, s, d))


def attention_causal(dtype):
    model = CausalAttention(32, 4)
    with torch.no_grad():
        model.qkv.weight.mul_(2.0)
    scale_head(model, model.o, [Call((normal(2, 33, 32),))])
    return finish(model, dtype, Call((normal(2, 13, 32),)), sizes=(2, 3, 16, 37, 64),
                  dynamic_shapes=({1: torch.export.Dim("length", min=2, max=64)},),
                  sized_call=lambda size: Call((normal(2, size, 32, seed=size),)))


class Bert(nn.Module):
    """transformers' BertModel: last hidden state from token numbers and a padding mask."""

    def __init__(self, layers):
        super().__init__()
        self.m = transformers.BertModel(transformers.BertConfig(
            vocab_size=100, hidden_size=32, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=48, initializer_range=0.15), add_pooling_layer=False)

    def forward(self, ids, mask):
        return self.m(input_ids=ids, attention_mask=mask).last_hidden_state


def padded_mask(batch, length):
    """A mask of ones whose last row ends with a third of padding."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1, length - length // 3:] = 0
    return mask


def bert_tiny(dtype):
    model = Bert(layers(dtype)).eval()
    randomise(model)
    return finish(model, dtype, Call((integers(1, 100, 2, 16), padded_mask(2, 16))))


def bert_dynamic(dtype):
    entry = bert_tiny(dtype)
    entry.core = False
    length = torch.export.Dim("length", min=2, max=48)
    entry.dynamic_shapes = ({1: length}, {1: length})
    entry.sizes = (2, 3, 17, 33, 48)
    entry.sized_call = lambda size: Call((integers(1, 100, 2, size, seed=size), padded_mask(2, size)))
    return entry


def mobilenet_v3_small(dtype):
    """A narrow cut of MobileNetV3: residual, squeeze-excitation, 5x5 depthwise, ReLU and hardswish blocks."""
    def block(*settings):
        return mobilenetv3.InvertedResidualConfig(*settings, width_mult=0.5)

    blocks = [block(16, 3, 16, 16, True, "RE", 2, 1), block(16, 3, 72, 16, False, "RE", 1, 1),
              block(16, 5, 96, 40, True, "HS", 2, 1)]
    if layers(dtype) == 2:
        blocks += [block(40, 5, 120, 40, True, "HS", 1, 1), block(40, 3, 120, 48, False, "HS", 2, 1)]
    model = mobilenetv3.MobileNetV3(blocks, last_channel=64, num_classes=10)
    randomise(model)
    several = [Call((image(32, 8, seed=s),)) for s in (2, 3)]
    settle_batch_norm(model, several)
    scale_head(model, model.classifier[3], several)
    return finish(model, dtype, Call((image(32),)))


def timm_test_vit(dtype):
    model = timm.models.vision_transformer.VisionTransformer(
        img_size=32, patch_size=8, embed_dim=32, depth=layers(dtype), num_heads=2, mlp_ratio=2, num_classes=20)
    randomise(model)
    scale_head(model.eval(), model.head, [Call((image(32, 8, seed=2),))])
    return finish(model, dtype, Call((image(32),)))


class RmsNorm(nn.Module):
    """Root-mean-square norm computed in float32, whatever the model's type."""

    def __init__(self, width):
        super().__init__()
        self.w = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return wide.type_as(x) * self.w


def rotate(x, cos, sin):
    """Rotary position embedding of x[..., head width], halves convention, in float32."""
    a, b = x.chunk(2, -1)
    return (x * cos + torch.cat((-b, a), -1) * sin).type_as(x)


class LlamaBlock(nn.Module):
    """A decoder layer whose key and value cache are buffers that each call writes at position `pos`."""

    def __init__(self, width, heads, kv_heads, hidden):
        super().__init__()
        self.heads, self.kv_heads, self.head_width = heads, kv_heads, width // heads
        kv_width = kv_heads * self.head_width
        self.n1, self.n2 = RmsNorm(width), RmsNorm(width)
        self.wq, self.wo = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.wk, self.wv = nn.Linear(width, kv_width, bias=False), nn.Linear(width, kv_width, bias=False)
        self.w1, self.w3 = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)
        self.register_buffer("kc", torch.zeros(1, kv_heads, CACHE_LENGTH, self.head_width))
        self.register_buffer("vc", torch.zeros(1, kv_heads, CACHE_LENGTH, self.head_width))

    def forward(self, x, cos, sin, mask, pos):
        b, s, d = x.shape
        h = self.n1(x)
        q = self.wq(h).view(b, s, self.heads, self.head_width).transpose(1, 2)
        k = self.wk(h).view(b, s, self.kv_heads, self.head_width).transpose(1, 2)
        v = self.wv(h).view(b, s, self.kv_heads, self.head_width).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        keys = self.kc.index_copy_(2, pos, k)
        values = self.vc.index_copy_(2, pos, v)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
        x = x + self.wo(y.transpose(1, 2).reshape(b, s, d))
        h = self.n2(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Llama(nn.Module):
    """A decoder: token [1, 1] and position [1] in, logits out; the caches are state."""

    def __init__(self, width=32, heads=4, kv_heads=2, hidden=72, *, layers):
        super().__init__()
        self.emb = nn.Embedding(LLAMA_VOCABULARY, width)
        self.blocks = nn.ModuleList([LlamaBlock(width, heads, kv_heads, hidden) for _ in range(layers)])
        self.norm = RmsNorm(width)
        self.head = nn.Linear(width, LLAMA_VOCABULARY, bias=False)
        half = width // heads // 2
        angles = torch.outer(torch.arange(CACHE_LENGTH), 10000.0 ** (-torch.arange(half) / half)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("idx", torch.arange(CACHE_LENGTH))

    def forward(self, tokens, pos):
        x = self.emb(tokens)
        cos, sin = self.cos[pos].float(), self.sin[pos].float()
        mask = self.idx.unsqueeze(0) <= pos.unsqueeze(1)
        for block in self.blocks:
            x = block(x, cos, sin, mask, pos)
        return self.head(self.norm(x)[:, -1])


def llama_tiny(dtype):
    model = Llama(layers=layers(dtype)).eval()
    randomise(model)
    return finish(model, dtype, Call((integers(0, LLAMA_VOCABULARY, 1, 1), torch.tensor([5]))))


def decoding_calls(vocabulary, count=16):
    """`count` consecutive calls of a decoder: different tokens at positions 0, 1, 2, …"""
    ids = integers(0, vocabulary, count, seed=9)
    return [Call((ids[i].view(1, 1), torch.tensor([i]))) for i in range(count)]


KINDS = [add_linear, mlp_dynamic, conv1d_net, attention_causal, bert_tiny, bert_dynamic, mobilenet_v3_small,
         timm_test_vit, llama_tiny]
DTYPES = {"": torch.float32, ".f16": torch.float16, ".bf16": torch.bfloat16}


def dtypes_of(kind):
    """Suffix and type of each twin of a kind; the dynamic BERT is float32 only."""
    return {"": torch.float32} if kind is bert_dynamic else DTYPES


def build(kind, dtype):
    """The seeded entry of one kind in one type."""
    torch.manual_seed(3)
    return kind(dtype)
