#!/usr/bin/env bash
# Runs all steps: generated pages, training in three phases, authored forms, a fourth phase with both, export, manifest and card.
# Usage: bash training/passports/train.sh OUT_FOLDER [PAGES] [MINUTES] [options of train.py, e.g. --threads 4]
# WORK=FOLDER keeps pages and checkpoints. MEASUREMENTS=FILE adds measurements to manifest and card.
# FORMS="FOLDER …" are the authored forms, of which VARIANTS pages are made each.
set -euo pipefail
[ $# -ge 1 ] || { sed -n 3,4p "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
pages=${2:-80000}
minutes=${3:-80}
[[ $pages =~ ^[0-9]+$ && $pages -ge 40 && $minutes =~ ^[0-9.]+$ ]] || { echo "PAGES (at least 40) and MINUTES are numbers" >&2; exit 2; }
shift $(($# < 3 ? $# : 3))
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
python=${PYTHON:-/usr/bin/python3}

# Keeps freed activations in the process: doubles the speed, since glibc would return and fault them in again.
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456
export PYTHONDONTWRITEBYTECODE=1
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}  # spinning threads are slower on a busy machine

# The generator computes features with the compiled code of the product.
node "$root/scripts/build.mjs"
(cd "$root" && node --input-type=module -e '
  import { CLASSES } from "./dist/services/passports/model/field-network/classes.js";
  const labels = CLASSES.filter((name) => !name.startsWith("total:"));
  console.log(JSON.stringify({ classes: CLASSES, labels }));
') >"$work/classes.json"

# generate FOLDER COUNT FIRST… writes COUNT pages from each FIRST on, each in a process of its own.
generate() {
  local folder=$1 count=$2 first pids=() pid
  shift 2
  [ "$(cat "$folder/complete" 2>/dev/null)" != "$count $*" ] || return 0
  rm -rf "$folder"
  for first in "$@"; do
    node "$here/generator/generate.mjs" "$first" "$count" "$folder" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || { kill "${pids[@]}" 2>/dev/null || true; echo "page generation failed" >&2; exit 1; }
  done
  echo "$count $*" >"$folder/complete"
}

half=$((pages / 40 * 20))  # pages are rendered 20 at a time
generate "$work/data" "$half" 0 "$half"
generate "$work/validation" "${VALIDATION_PAGES:-500}" 10000000

# phase NUMBER SHARE RATE DATA [options]: SHARE of the minutes, with a learning rate that falls from RATE to 0.
phase() {
  local number=$1 share=$2 rate=$3 data=$4
  shift 4
  "$python" "$here/train.py" "$data" "$work/phase$number" --validation "$work/validation" --classes "$work/classes.json" \
    --minutes "$(awk "BEGIN { print $minutes * $share }")" --width 192 --rate "$rate" --seed "$number" "$@"
}

phase 1 0.4 2e-3 "$work/data" "$@"
phase 2 0.16 1.2e-3 "$work/data" --start "$work/phase1/last.pt" "$@"
phase 3 0.24 1e-3 "$work/data" --start "$work/phase2/last.pt" "$@"

# The network of phase 3 tells apart places that print the same value.
"$python" "$here/export.py" "$work/phase3/last.pt" "$work/generated.onnx"
rm -rf "$work/mixed"
mkdir -p "$work/mixed"
read -ra forms <<<"${FORMS:-$(echo "$here"/forms/* "$root"/test/passports/accuracy/blind/{first,second,third,fourth,fifth,sixth,seventh,ninth,tenth,eleventh})}"
node "$here/generator/authored.mjs" "$work/mixed" "${VARIANTS:-40}" "${forms[@]}" --network "$work/generated.onnx"
# About as many generated pages, so that nothing is forgotten.
shards=("$work"/data/*.bin)
authored=("$work"/mixed/*.bin)
ln -s "${shards[@]:0:${#authored[@]}}" "$work/mixed/"
phase 4 0.2 4e-4 "$work/mixed" --start "$work/phase3/last.pt" --warmup 60 --tokens 2500 "$@"
"$python" "$here/export.py" "$work/phase4/last.pt" "$out/fields.onnx"
cp "$root"/models/passports/1.0.0/words.{onnx,txt} "$out/"
"$python" "$here/report.py" "$out" --classes "$work/classes.json" --checkpoint "$work/phase4/last.pt" \
  ${MEASUREMENTS:+--measurements "$MEASUREMENTS"}
ls -l "$out"
