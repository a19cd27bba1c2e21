#!/usr/bin/env python3
"""Times Ingot on the CPU against PyTorch eager, in turns, and prints the ratio.

Needs torch, torchvision and transformers. Exports MobileNetV3-small and ViT-B/16 (224 x 224, batch 1)
and BERT-base (1 x 128) with random weights, compiles each, then alternates rounds of `ingot bench` and
eager runs with the same number of threads, so that both meet the same disturbances. Prints medians over
the rounds; a ratio below 1 means that Ingot is faster. Results go to --json.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def models():
    import torch
    import torchvision
    import transformers

    image = torch.randn(1, 3, 224, 224)
    yield "mobilenet_v3_small", torchvision.models.mobilenet_v3_small(weights=None), (image,)
    yield "vit_b_16", torchvision.models.vit_b_16(weights=None), (image,)
    config = transformers.BertConfig(return_dict=False)
    ids = torch.randint(0, config.vocab_size, (1, 128))
    yield "bert_base", transformers.BertModel(config), (ids,)


def time_ingot(ingot, package, seconds, threads):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([ingot, "bench", package, "--device=cpu", "--duration-s", str(seconds),
                        "--warmup-ms", "100", "--json", report.name],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, INGOT_NUM_THREADS=str(threads)))
        return json.load(open(report.name))["p50_ms"]


def time_eager(model, inputs, seconds):
    import torch

    times = []
    with torch.no_grad():
        model(*inputs)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(times) < 3:
            start = time.perf_counter()
            model(*inputs)
            times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ingot", default=str(ROOT / "build/bin/ingot"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json")
    options = parser.parse_args()

    import torch

    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
                            text=True).stdout.strip()
    rows = []
    print(f"{'model':20} {'Ingot ms':>10} {'eager ms':>10} {'ratio':>7}")
    for name, model, inputs in models():
        model.eval()
        with tempfile.TemporaryDirectory() as folder:
            archive, package = f"{folder}/{name}.pt2", f"{folder}/{name}.ingot"
            torch.export.save(torch.export.export(model, inputs), archive)
            subprocess.run([options.ingot, "compile", archive, "--target=cpu", "-o", package],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ours, eager = [], []
            for _ in range(options.rounds):
                ours.append(time_ingot(options.ingot, package, options.seconds, options.threads))
                eager.append(time_eager(model, inputs, options.seconds))
        row = {"model": name, "ingot_ms": round(statistics.median(ours), 3),
               "eager_ms": round(statistics.median(eager), 3), "threads": options.threads,
               "torch": torch.__version__, "commit": commit}
        row["ratio"] = round(row["ingot_ms"] / row["eager_ms"], 3)
        rows.append(row)
        print(f"{name:20} {row['ingot_ms']:10.2f} {row['eager_ms']:10.2f} {row['ratio']:7.2f}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
