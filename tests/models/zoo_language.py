"""Text, audio and image-text models of the zoo: transformers architectures with small random configurations."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
import transformers  # noqa: E402
from torch import nn  # noqa: E402

from model_entry import Entry, randomise, settle_batch_norm  # noqa: E402
from random_inputs import image, integers, normal  # noqa: E402
from recording import Call  # noqa: E402
from zoo_vision import as_dtype  # noqa: E402

VOCABULARY = 500
SPREAD = 0.1  # initializer_range: wide enough that attention is not uniform


class Pick(nn.Module):
    """A model with keyword arguments fixed and one field of its result returned."""

    def __init__(self, model, inputs, field, **fixed):
        super().__init__()
        self.model, self.inputs, self.field, self.fixed = model, inputs, field, fixed

    def forward(self, *values):
        return getattr(self.model(**dict(zip(self.inputs, values)), **self.fixed), self.field)


def tokens(batch, length, seed=1, vocabulary=VOCABULARY):
    """Random token numbers, avoiding the first few that are special in some models."""
    return integers(5, vocabulary, batch, length, seed=seed)


def padded_mask(batch, length):
    """An attention mask of ones whose last row ends with a quarter of padding."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1, length - max(length // 4, 1):] = 0
    return mask


def build(model_class, config, inputs, field="last_hidden_state", **fixed):
    """A seeded random model in eval mode whose parameters are all random."""
    torch.manual_seed(1)
    model = model_class(config).eval()
    randomise(model)
    return Pick(model, inputs, field, **fixed).eval()


def encoder(model_class, config, dynamic=False, core=True):
    """A text encoder that takes token numbers and a padding mask; dynamic: sequence 2 to 64."""
    model = build(model_class, config, ("input_ids", "attention_mask"))
    entry = Entry(model, Call((tokens(2, 16), padded_mask(2, 16))), core=core)
    if dynamic:
        length = torch.export.Dim("length", min=2, max=64)
        entry.dynamic_shapes = (({1: length}, {1: length}),)
        entry.sized_call = lambda size: Call((tokens(2, size, seed=size), padded_mask(2, size)))
        entry.sizes = (2, 3, 17, 40, 64)
    return entry


def decoder(model_class, config, dynamic=True, batch=1, core=True, longest=64):
    """A causal language model without cache that returns logits; dynamic: sequence 2 to `longest`."""
    config.use_cache = False
    model = build(model_class, config, ("input_ids",), field="logits")
    scale = 1.0 / model(tokens(batch, 12)).std().item()
    with torch.no_grad():
        model.model.get_output_embeddings().weight.mul_(scale)
    entry = Entry(model, Call((tokens(batch, 12),)), core=core)
    if dynamic:
        entry.dynamic_shapes = (({1: torch.export.Dim.DYNAMIC(min=2, max=longest)},),)
        entry.sized_call = lambda size: Call((tokens(batch, size, seed=size),))
        entry.sizes = (2, 7, 16, 33, longest)
    return entry


def bert_like(name, **extra):
    """Small configuration of a BERT-shaped encoder."""
    config = getattr(transformers, f"{name}Config")
    return config(vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                  intermediate_size=128, max_position_embeddings=80, initializer_range=SPREAD, **extra)


def llama_like(name, **extra):
    """Small configuration of a Llama-shaped decoder with grouped-query attention."""
    config = getattr(transformers, f"{name}Config")
    return config(vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                  num_key_value_heads=2, intermediate_size=128, max_position_embeddings=80,
                  initializer_range=SPREAD, **extra)


def gpt2(width, layers, heads, vocabulary=VOCABULARY, **options):
    config = transformers.GPT2Config(vocab_size=vocabulary, n_embd=width, n_layer=layers, n_head=heads,
                                     n_positions=128, initializer_range=SPREAD * (64 / width) ** 0.5,
                                     tie_word_embeddings=False)
    return decoder(transformers.GPT2LMHeadModel, config, **options)


def gpt2_tied():
    """GPT-2 whose output layer is its embedding, as published; static shape."""
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=64, n_layer=2, n_head=4, n_positions=128,
                                     initializer_range=SPREAD, use_cache=False)
    model = build(transformers.GPT2LMHeadModel, config, ("input_ids",), field="logits")
    return Entry(model, Call((tokens(1, 12),)))


def whisper(frames, width, layers, heads, core=True):
    """A Whisper encoder: log-mel input [1, 80, frames], two 1-d convolutions, frames/2 positions."""
    config = transformers.WhisperConfig(d_model=width, encoder_layers=layers, encoder_attention_heads=heads,
                                        encoder_ffn_dim=4 * width, decoder_layers=1, decoder_attention_heads=heads,
                                        max_source_positions=frames // 2, init_std=0.05, vocab_size=VOCABULARY)
    torch.manual_seed(1)
    model = transformers.models.whisper.modeling_whisper.WhisperEncoder(config).eval()
    randomise(model)
    mel = normal(1, 80, frames)
    return Entry(Pick(model, ("input_features",), "last_hidden_state").eval(), Call((mel,)), core=core)


def t5_encoder():
    config = transformers.T5Config(vocab_size=VOCABULARY, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)
    return encoder(transformers.T5EncoderModel, config)


def t5_full():
    """T5 encoder and decoder in one call, without cache."""
    config = transformers.T5Config(vocab_size=VOCABULARY, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
                                   use_cache=False, decoder_start_token_id=0)
    model = build(transformers.T5Model, config, ("input_ids", "decoder_input_ids"), use_cache=False)
    return Entry(model, Call((tokens(1, 12), tokens(1, 7, seed=2))))


def bart():
    config = transformers.BartConfig(vocab_size=VOCABULARY, d_model=64, encoder_layers=2, decoder_layers=2,
                                     encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
                                     decoder_ffn_dim=128, max_position_embeddings=80, init_std=SPREAD)
    model = build(transformers.BartModel, config, ("input_ids", "decoder_input_ids"), use_cache=False)
    return Entry(model, Call((tokens(1, 12), tokens(1, 7, seed=2))))


def clip_text():
    config = transformers.CLIPTextConfig(vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=2,
                                         num_attention_heads=4, intermediate_size=128, max_position_embeddings=32,
                                         eos_token_id=2)
    model = build(transformers.CLIPTextModel, config, ("input_ids",), field="pooler_output")
    ids = tokens(2, 16)
    ids[:, -1] = VOCABULARY - 1
    ids[:, -2] = 2
    return Entry(model, Call((ids,)))


def vision(model_class, config, size, field="last_hidden_state", core=True):
    """An image model of transformers: pixel values in, one field out."""
    model = build(model_class, config, ("pixel_values",), field=field)
    settle_batch_norm(model, [Call((image(size, 4, seed=s),)) for s in (2, 3)])
    return Entry(model, Call((image(size),)), core=core)


def vit_like(name, **extra):
    config = getattr(transformers, f"{name}Config")
    return config(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64,
                  patch_size=16, initializer_range=SPREAD, **extra)


def speech(name, **extra):
    """A wav2vec2-shaped model on one second of 4 kHz noise."""
    config = getattr(transformers, f"{name}Config")(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=32,
        conv_dim=(32,) * 5, conv_stride=(5, 2, 2, 2, 2), conv_kernel=(10, 3, 3, 3, 2), num_feat_extract_layers=5,
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, apply_spec_augment=False, **extra)
    model = build(getattr(transformers, f"{name}Model"), config, ("input_values",))
    return Entry(model, Call((normal(1, 4000),)))


def mobilevit():
    config = transformers.MobileViTConfig(image_size=64, hidden_sizes=[32, 48, 64],
                                          neck_hidden_sizes=[8, 16, 24, 32, 48, 64, 128])
    return vision(transformers.MobileViTModel, config, 64)


def segformer():
    config = transformers.SegformerConfig(hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], decoder_hidden_size=32)
    return vision(transformers.SegformerForSemanticSegmentation, config, 64, field="logits")


MODELS = {
    "gpt2_tiny": lambda: gpt2(64, 2, 4),
    "gpt2_mid": lambda: gpt2(384, 6, 6, vocabulary=2000, core=False),
    "gpt2_tied": gpt2_tied,
    "whisper_encoder_tiny": lambda: whisper(3000, 384, 4, 6),
    "whisper_encoder_short": lambda: whisper(200, 64, 2, 4),
    "bert": lambda: encoder(transformers.BertModel, bert_like("Bert"), dynamic=True),
    "distilbert": lambda: encoder(transformers.DistilBertModel, transformers.DistilBertConfig(
        vocab_size=VOCABULARY, dim=64, n_layers=2, n_heads=4, hidden_dim=128, max_position_embeddings=80,
        initializer_range=SPREAD), dynamic=True),
    "roberta": lambda: encoder(transformers.RobertaModel, bert_like("Roberta"), dynamic=True),
    "electra": lambda: encoder(transformers.ElectraModel, bert_like("Electra", embedding_size=32)),
    "albert": lambda: encoder(transformers.AlbertModel, bert_like("Albert", embedding_size=32)),
    "mpnet": lambda: encoder(transformers.MPNetModel, bert_like("MPNet")),
    "modernbert": lambda: encoder(transformers.ModernBertModel, transformers.ModernBertConfig(
        vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=80, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
        local_attention=8, initializer_range=SPREAD)),
    "deberta_v2": lambda: encoder(transformers.DebertaV2Model, bert_like(
        "DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=16)),
    "llama": lambda: decoder(transformers.LlamaForCausalLM, llama_like("Llama")),
    "mistral": lambda: decoder(transformers.MistralForCausalLM, llama_like("Mistral", sliding_window=8)),
    "qwen2": lambda: decoder(transformers.Qwen2ForCausalLM, llama_like("Qwen2")),
    "qwen3": lambda: decoder(transformers.Qwen3ForCausalLM, llama_like("Qwen3", head_dim=16)),
    "gemma2": lambda: decoder(transformers.Gemma2ForCausalLM, llama_like("Gemma2", head_dim=16)),
    "phi": lambda: decoder(transformers.PhiForCausalLM, llama_like("Phi", pad_token_id=0)),
    "gpt_neox": lambda: decoder(transformers.GPTNeoXForCausalLM, bert_like("GPTNeoX")),
    "opt": lambda: decoder(transformers.OPTForCausalLM, transformers.OPTConfig(
        vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128,
        max_position_embeddings=80, init_std=SPREAD, word_embed_proj_dim=64)),
    "bloom": lambda: decoder(transformers.BloomForCausalLM, transformers.BloomConfig(
        vocab_size=VOCABULARY, hidden_size=64, n_layer=2, n_head=4, initializer_range=SPREAD), dynamic=False),
    "t5_encoder": t5_encoder,
    "t5_full": t5_full,
    "bart": bart,
    "clip_text": clip_text,
    "clip_vision": lambda: vision(transformers.CLIPVisionModel, vit_like("CLIPVision"), 64, field="pooler_output"),
    "siglip_vision": lambda: vision(transformers.SiglipVisionModel, transformers.SiglipVisionConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64,
        patch_size=16), 64, field="pooler_output"),
    "hf_vit": lambda: vision(transformers.ViTModel, vit_like("ViT"), 64),
    "dinov2": lambda: vision(transformers.Dinov2Model, vit_like("Dinov2"), 64),
    "beit": lambda: vision(transformers.BeitModel, vit_like("Beit", use_relative_position_bias=True), 64),
    "hf_mobilevit": mobilevit,
    "segformer": segformer,
    "wav2vec2": lambda: speech("Wav2Vec2"),
    "hubert": lambda: speech("Hubert"),
}
for dtype_name, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
    for name in ("gpt2_tied", "whisper_encoder_short", "bert", "llama", "t5_encoder"):
        MODELS[f"{name}.{dtype_name}"] = as_dtype(MODELS[name], dtype)
