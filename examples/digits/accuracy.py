#!/usr/bin/env python3
"""Prints predicted against true labels: accuracy.py LABELS.npz LOGITS.npz (standard library only)."""
import ast
import io
import struct
import sys
import zipfile

FORMATS = {"<f4": "f", "<i8": "q"}


def read_array(archive, name):
    """The array's shape and its elements in row-major order."""
    data = io.BytesIO(zipfile.ZipFile(archive).read(name + ".npy"))
    data.seek(8)
    (length,) = struct.unpack("<H", data.read(2))
    header = ast.literal_eval(data.read(length).decode())
    assert not header["fortran_order"]
    body = data.read()
    code = FORMATS[header["descr"]]
    count = len(body) // struct.calcsize(code)
    return header["shape"], struct.unpack(f"<{count}{code}", body)


def main():
    _, labels = read_array(sys.argv[1], "labels")
    (count, classes), logits = read_array(sys.argv[2], "out0")
    predicted = []
    for row in range(count):
        scores = logits[row * classes:(row + 1) * classes]
        predicted.append(scores.index(max(scores)))
    print("predicted:", " ".join(str(p) for p in predicted[:20]), "…")
    print("true:     ", " ".join(str(t) for t in labels[:20]), "…")
    right = sum(p == t for p, t in zip(predicted, labels))
    print(f"accuracy: {right} of {count} images ({100 * right / count:.1f} %)")


if __name__ == "__main__":
    main()
