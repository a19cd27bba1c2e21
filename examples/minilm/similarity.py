"""Runs the exported sentence-embedding model with Ingot and prints its cosine similarities beside PyTorch's.

Needs only NumPy and a built `ingot`; run export.py first. Exit status 0 if every similarity agrees to 1e-4.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-4


def cosine_table(embeddings):
    """The cosine of each pair of rows, as a square matrix."""
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return unit @ unit.T


def embed_with_ingot(ingot, archive, inputs, device):
    """Compiles the archive, runs the package on the token arrays of the .npz and returns its embeddings."""
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "minilm.ingot"
        output = pathlib.Path(folder) / "embeddings.npy"
        target = ["--target=cpu"] if device == "cpu" else []
        subprocess.run([ingot, "compile", archive, *target, "-o", package], check=True)
        tokens = [f"--input={name}=@{path}" for name, path in save_arrays(inputs, pathlib.Path(folder)).items()]
        subprocess.run([ingot, "run", package, *tokens, "--output", f"@{output}", f"--device={device}"],
                       check=True, stdout=subprocess.DEVNULL)
        return np.load(output)


def save_arrays(inputs, folder):
    """Writes the two input arrays as .npy files named after the model's arguments."""
    names = {"input_ids": inputs["in0"], "attention_mask": inputs["in1"]}
    for name, array in names.items():
        np.save(folder / f"{name}.npy", array)
    return {name: folder / f"{name}.npy" for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=HERE / "out", help="where export.py wrote its files")
    parser.add_argument("--ingot", type=pathlib.Path, default=HERE.parents[1] / "build" / "bin" / "ingot")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()

    expected = np.load(options.folder / "minilm.npz")
    sentences = (options.folder / "sentences.txt").read_text().splitlines()
    try:
        embeddings = embed_with_ingot(options.ingot, options.folder / "minilm.pt2", expected, options.device)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # ingot has said why on stderr
    ours = cosine_table(embeddings)
    theirs = cosine_table(expected["out0"])

    for number, sentence in enumerate(sentences, 1):
        print(f"({number}) {sentence}")
    print("\npair     Ingot      PyTorch    difference")
    for i, j in itertools.combinations(range(len(sentences)), 2):
        print(f"({i + 1},{j + 1})  {ours[i, j]:+.6f}  {theirs[i, j]:+.6f}  {abs(ours[i, j] - theirs[i, j]):.1e}")
    sys.exit(0 if np.abs(ours - theirs).max() <= TOLERANCE else 1)


if __name__ == "__main__":
    main()
