"""Serves a model over llama.cpp's own HTTP server, on loopback only: serve.py MODEL NAME

Prints the server's address once it listens, and ends when its input ends.
"""

import sys
from pathlib import Path

import xllamacpp


def parameters(model: str, name: str) -> "xllamacpp.CommonParams":
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    # More threads wait for each other at a barrier, which on a busy machine is far slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.chat_template = Path(__file__).with_name("chat_template.jinja").read_text(encoding="utf-8")
    return params


def main() -> None:
    model, name = sys.argv[1:]
    server = xllamacpp.Server(parameters(model, name))
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
