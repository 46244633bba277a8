#!/usr/bin/env bash
# All fuzz targets one after the other, SECONDS_EACH (default 520: an hour together) each, from the examples under
# corpus/ into a scratch folder. Prints the fuzzer's own last counters of each target (runs, edges covered,
# features) and ends with 1 if any target found something; what was found lies under the scratch folder.
#
#   cargo install cargo-fuzz
#   fuzz/campaign.sh [SECONDS_EACH] [SCRATCH]
#
# A stable toolchain will do: the bootstrap variable lets it take the coverage flags. What is found becomes an
# example under corpus/ once it is fixed; `cargo test --test laws` then holds it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
each=${1:-520}
scratch=${2:-$(mktemp -d)}
mkdir -p "$scratch"
RUSTC_BOOTSTRAP=1 cargo fuzz build --sanitizer none -O >"$scratch/build.log" 2>&1 || { tail "$scratch/build.log"; exit 1; }
programs=$(dirname "$(find target -path '*release/position' -type f | head -1)")
failed=0
for target in position notation records dialogue config journal repetition; do
    mkdir -p "$scratch/$target"
    cp "$programs/$target" "$scratch/$target.bin"
    if ! "$scratch/$target.bin" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
        -print_final_stats=1 -artifact_prefix="$scratch/$target-" "$scratch/$target" "corpus/$target" \
        >"$scratch/$target.log" 2>&1; then
        failed=1
    fi
    counters=$(grep -aoE '^#[0-9]+[^c]*cov: [0-9]+ ft: [0-9]+ corp: [^ ]+' "$scratch/$target.log" | tail -1)
    executed=$(grep -ao 'number_of_executed_units: [0-9]*' "$scratch/$target.log" | tail -1)
    found=$(find "$scratch" -maxdepth 1 \( -name "$target-crash*" -o -name "$target-timeout*" -o -name "$target-oom*" \) | wc -l)
    echo "$target: $counters; ${executed:-stopped early}; found: $found"
done
echo "scratch: $scratch"
exit $failed
