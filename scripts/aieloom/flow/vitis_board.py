"""`doit board host=ADDRESS`: copy the design to a board over ssh, run it, fetch results, timing and power."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from aieloom.errors import SpecError
from aieloom.flow.vitis_flow import Flow
from aieloom.flow.vitis_results import keep_host_run, results_match
from aieloom.vitis import commands
from aieloom.vitis.missing import Missing, ToolMissing
from aieloom.vitis.releases import Image
from aieloom.vitis.run import StageFailed
from aieloom.vitis.settings import LIMIT_HOURS

_OPTIONS = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "StrictHostKeyChecking=accept-new")
_FOLDER = "/tmp/aieloom"  # on the board; gone after a reboot, as is the loaded design
_POWER = "for f in /sys/class/hwmon/*/power1_input; do echo $(cat ${f%/*}/name) $(cat $f); done"
_ADDRESS = re.compile(r"(?:[\w.-]+@)?[\w.:-]+")


def run_on_board(flow: Flow) -> None:
    """Run the packaged design on a board that is up.

    Raises:
        SpecError: no board is named.
        ToolMissing: ssh is not installed.
        StageFailed: the board cannot be reached, or its results do not agree.
    """
    host = flow.setting("host") or ""
    if not _ADDRESS.fullmatch(host):
        text = "the board's address is missing" if not host else f"host={host} is no address"
        raise SpecError(
            rule="board", text=text, remedy="doit board host=root@ADDRESS (key login, ssh-copy-id)"
        )
    host = host if "@" in host else f"root@{host}"
    folder = f"{_FOLDER}/{flow.project.name}"
    build = flow.project.build
    card = [build / name for name in commands.card_files(flow.design, "hw")]
    package = build / flow.package().folder
    card.append(package / flow.design.xclbin)
    if flow.found.image is Image.EDF:
        card += sorted((build / "vitis" / "hw" / "card").glob("design.*"))
    log = _Log(build / "vitis" / "hw" / "board.log")
    log.call("ssh", *_OPTIONS, host, f"mkdir -p {folder}")
    log.call("scp", *_OPTIONS, *map(str, card), f"{host}:{folder}/")
    if flow.found.image is Image.EDF:
        log.call("ssh", *_OPTIONS, host, f"cd {folder} && fpgautil -b design.pdi -o design.dtbo")
    limit = flow.found.limits.get("board", LIMIT_HOURS["board"]) * 3600
    log.call("ssh", *_OPTIONS, host, f"cd {folder} && sh {commands.RUN_SCRIPT}", check=False, seconds=limit)
    fetched = build / "vitis" / "hw" / "board_output.bin"
    power = log.call("ssh", *_OPTIONS, host, _POWER, check=False)
    ran = log.text
    if "TEST PASSED, RC=0" in ran:
        log.call("scp", *_OPTIONS, f"{host}:{folder}/output.bin", str(fetched))
        if not results_match(fetched, flow):
            raise StageFailed(
                f"board failed: the fetched results do not agree with the reference ({fetched})"
            )
    keep_host_run(flow, ran, f"the board {host}", power_w=_watts(power))


def _watts(text: str) -> dict[str, float] | None:
    """Return what the board's sensors report (hwmon counts microwatts); None when they report nothing."""
    found = {m[1]: int(m[2]) / 1e6 for m in re.finditer(r"^(\S+) (\d+)$", text, re.MULTILINE)}
    return found or None


class _Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""

    def call(self, *argv: str, check: bool = True, seconds: float = 300) -> str:
        """Run a program; keep its output in the log."""
        try:
            done = subprocess.run(list(argv), capture_output=True, text=True, check=False, timeout=seconds)
        except FileNotFoundError:
            missing = Missing(name=argv[0], what=argv[0], fix="apt-get install openssh-client")
            raise ToolMissing("board", (missing,), "    " + " ".join(argv)) from None
        except subprocess.TimeoutExpired:
            raise self._failed(
                argv, f"no end after {seconds:g} s", "is the board busy? raise `board` in [limits]"
            ) from None
        self.text += done.stdout + done.stderr
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(self.text, encoding="utf-8")
        if check and done.returncode:
            said = (done.stderr or done.stdout).strip()
            raise self._failed(argv, said, "check address, network and key login (ssh-copy-id)")
        return done.stdout

    def _failed(self, argv: Sequence[str], said: str, fix: str) -> StageFailed:
        return StageFailed(
            f"board failed: {argv[0]}: {said}\n  log: {self.path}\n  fix: {fix}", known="board"
        )
