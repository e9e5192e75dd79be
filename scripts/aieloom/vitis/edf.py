"""Hardware emulation with the EDF image: QEMU boots a copy of the prebuilt disk that has the design's files written into it.

The steps are those of AMD's EDF tutorials for VCK190 and VEK280 [Vitis-Tutorials 2026.1, Getting_Started/Vitis/
Versal_w_EDF]: copy disk image and QEMU prebuilt side by side, put the packager's BOOT.bin in place of the prebuilt one,
write script, host program, xclbin, emconfig.json, data and the zocl overlay into partition 2 with wic, then start
launch_hw_emu.sh with -qemu-config. Without the overlay XRT finds no device; without emconfig.json its shim finds none.
"""

from __future__ import annotations

import posixpath

from aieloom.vitis.commands import BUILD, RUN_SCRIPT, STAMP, Stage, card_files, launched
from aieloom.vitis.design import VitisDesign
from aieloom.vitis.discover import Installation
from aieloom.vitis.missing import DISK_IMAGE, SDK_SETUP, WIC, qemu_prebuilt

OVERLAY = "design.dtbo"
LOGIN = "amd-edf"  # user and first password of the image
FOLDER = "vitis/hw_emu/disk"

_SCRIPT = """\
#!/bin/bash
# Writes a design into a copy of the EDF disk image, for hardware emulation: bash disk.sh EDF_FOLDER VITIS_FOLDER
set -eu
edf=$1
vitis=$2
rm -rf combined
mkdir combined
cp -rp "$edf/@DISK@/." combined/
cp -rp "$edf/@QEMU@/." combined/
test -f "combined/@WIC@" || { echo "ERROR: $edf/@DISK@ has no @WIC@"; exit 1; }
boot=combined/BOOT-versal-@BOARD@-multidomain.bin
made=$(find ../package/out -maxdepth 1 -iname boot.bin | head -n 1)
if [ -n "$made" ]; then
  rm -f "$boot" combined/boot.bin
  cp "$made" "$boot"
  ln -s "$(basename "$boot")" combined/boot.bin
else
  echo "WARNING: the packager made no BOOT.bin: QEMU boots the prebuilt one, without this design"
fi
emconfigutil --platform "../link/@PROJECT@.xsa" --od . --nd 1
overlay=$(find ../package -name updated_zocl.dtsi | head -n 1)
test -n "$overlay" || { echo "ERROR: the packager made no updated_zocl.dtsi: XRT would find no device"; exit 1; }
compiler=$(command -v dtc || echo "${XILINX_VIVADO:-$vitis}/bin/dtc")
{ grep -q /dts-v1/ "$overlay" || echo '/dts-v1/; /plugin/;'; cat "$overlay"; } > overlay.dts
"$compiler" -@ -O dtb -I dts -o @OVERLAY@ overlay.dts
@ARRAY@unset LD_LIBRARY_PATH
set +u
. "$vitis/@SETUP@"
set -u
test ! -e combined/boot.bin || wic cp --sector-size=512 combined/boot.bin "combined/@WIC@:1"
for file in @FILES@; do
  wic cp --sector-size=512 "$file" "combined/@WIC@:2"
done
"""
_ARRAY = 'echo "AIE_PKG_DIR=$(cd ../../aiecom/Work && pwd)" > aiesim_options.txt\n'


def disk_script(design: VitisDesign, board: str) -> str:
    """Return the script that makes the disk."""
    on_card = [posixpath.relpath(name, FOLDER) for name in card_files(design, "hw_emu")]
    files = [*on_card, f"../package/{design.xclbin}", "emconfig.json", OVERLAY]
    values = {
        "DISK": DISK_IMAGE,
        "QEMU": qemu_prebuilt(board),
        "WIC": WIC,
        "BOARD": board,
        "PROJECT": design.project,
        "OVERLAY": OVERLAY,
        "SETUP": SDK_SETUP,
        "FILES": " ".join(files),
        "ARRAY": _ARRAY if design.aie_sources else "",
    }
    text = _SCRIPT
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def disk(design: VitisDesign, found: Installation) -> Stage:
    """The disk that QEMU boots, with the design on it."""
    edf = str(found.edf or "${YOCTO_ARTIFACTS}")
    vitis = str(found.vitis or "${XILINX_VITIS}")
    packaged = "vitis/hw_emu/package"
    return Stage(
        name="disk",
        argv=("bash", "disk.sh", edf, vitis),
        folder=FOLDER,
        reads=(f"{packaged}/{STAMP}", *card_files(design, "hw_emu")),
        makes=(f"combined/{WIC}", "combined/combined.qemuboot.conf", "emconfig.json", OVERLAY),
        needs=("release", "v++", "edf", "edf_qemu"),
        files={"disk.sh": disk_script(design, found.board)},
    )


def hardware_emulation(seconds: int, *, array: bool) -> Stage:
    """Boot the disk in QEMU beside the simulated fabric, log in, run the host program, shut down."""
    argv = (
        *("-qemu-config", f"{BUILD}/{FOLDER}/combined/combined.qemuboot.conf"),
        *("-login", LOGIN, "-password", LOGIN),
        *(("-aie-sim-options", f"{BUILD}/{FOLDER}/aiesim_options.txt") if array else ()),
        *("-timeout", str(seconds)),
        *("-run-app", f"mount /dev/mmcblk0p2 /media; cd /media; sh ./{RUN_SCRIPT}"),
    )
    return launched(argv, reads=f"{FOLDER}/{STAMP}")
