"""The words of `aieloom serve`: aieloom's command line finds them by an entry point (pyproject.toml) and adds them to its own.

Nothing here imports what the command works with.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from aieloom.commands import Commands, positive

SERVE = "own the device, and run networks for clients on a socket"
NOTES = "Clients are aieloom.Session(..., device='unix:FILE'), or any program that writes the frames of docs/serve.md."


def add_serve(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    p = commands.add_parser("serve", help=SERVE, description=f"{SERVE}. {NOTES}")
    p.add_argument(
        "networks", type=Path, nargs="*", metavar="NETWORK", help="project folders and ONNX models to serve"
    )
    p.add_argument("--target", help="the board, instead of the projects' own (default of models: vck190)")
    p.add_argument(
        "--socket",
        type=Path,
        default=Path("aieloom.sock"),
        metavar="FILE",
        help="the Unix socket (default: aieloom.sock here)",
    )
    p.add_argument("--tcp", metavar="HOST:PORT", help="listen there instead; port 0: any that is free")
    p.add_argument("--token-file", type=Path, metavar="FILE", help="with --tcp: what clients have to know")
    p.add_argument("--certificate", type=Path, metavar="FILE.pem", help="with --tcp: for TLS")
    p.add_argument("--key", type=Path, metavar="FILE.pem", help="with --tcp: the certificate's key")
    p.add_argument(
        "--limit", type=positive, default=256, metavar="MB", help="of a buffer and of a model (default: 256)"
    )
    p.add_argument(
        "--timeout",
        type=positive,
        default=600,
        metavar="SECONDS",
        help="that a run may take, or the planning of a model (default: 600)",
    )
    p.set_defaults(command="aieloom_serve.command:run")
