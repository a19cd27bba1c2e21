#!/bin/sh
# The fixed command line: exit statuses, where output goes, what errors look like.
# check.sh INGOT SOURCE_DIR
set -u
ingot=$1
data=$2/tests/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS WHAT COMMAND…: runs the command, keeps its output in $work/out and $work/err.
expect() {
  want=$1
  what=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  if [ "$got" -ne "$want" ]; then
    echo "FAIL  $what: exit $got instead of $want: $(head -n 2 "$work/err")"
    failed=1
  elif [ "$want" -gt 1 ] && ! grep -q '^error\[E[0-9]*\]: ' "$work/err"; then
    echo "FAIL  $what: no error line on stderr"
    failed=1
  elif [ "$want" -gt 1 ] && grep -q 'error' "$work/out"; then
    echo "FAIL  $what: an error on stdout"
    failed=1
  fi
}
# shows FILE WHAT PATTERN: a file has a line of that pattern.
shows() {
  grep -q -e "$3" "$1" || { echo "FAIL  $2: no '$3' in: $(head -n 5 "$1")"; failed=1; }
}

expect 0 version "$ingot" --version
expect 0 help "$ingot" run --help
shows "$work/out" help '--input'
expect 2 "no command" "$ingot"
expect 2 "unknown command" "$ingot" fly
expect 2 "missing argument" "$ingot" run
expect 2 "missing output" "$ingot" compile "$data/mlp_dynamic.pt2"

expect 0 compile "$ingot" compile "$data/mlp_dynamic.pt2" --target=cpu -o "$work/m.ingot"
expect 0 "compile again" "$ingot" compile "$data/mlp_dynamic.pt2" --target=cpu -o "$work/n.ingot"
cmp -s "$work/m.ingot" "$work/n.ingot" || { echo "FAIL  compile: other bytes"; failed=1; }
expect 0 "weights beside" "$ingot" compile "$data/mlp_dynamic.pt2" --target=cpu --weights=beside \
  -o "$work/b.ingot" --report="$work/report.json"
shows "$work/report.json" report '"launches"'
expect 0 "runs with weights beside" "$ingot" verify "$work/b.ingot" --device=cpu \
  --expected "$data/mlp_dynamic.npz"
rm "$work/b.weights"
expect 3 "weights gone" "$ingot" run "$work/b.ingot" --device=cpu --input 2x64xf32=1
expect 4 "unwritable output" "$ingot" compile "$data/mlp_dynamic.pt2" --target=cpu \
  -o "$work/none/x.ingot"
cp "$data/add_linear.pt2" "$work/same.pt2"
expect 2 "output over the model" "$ingot" compile "$work/same.pt2" --target=cpu -o "$work/same.pt2"
for option in --target=cuda --emit=aoti --precision=tf32 --arch=t4 --freeze; do
  expect 2 "not available: $option" "$ingot" compile "$data/mlp_dynamic.pt2" "$option" -o "$work/x"
done
[ ! -e "$work/x" ] || { echo "FAIL  refused options leave a file"; failed=1; }

size=$("$ingot" inspect "$work/m.ingot" | sed -n 's/^  x: .*x\([0-9]*\)xf32.*/\1/p')
expect 0 run "$ingot" run "$work/m.ingot" --device=cpu --input "2x${size}xf32=0.5"
shows "$work/out" run '^out0: 2x'
[ ! -s "$work/err" ] || { echo "FAIL  run: stderr is not empty"; failed=1; }
expect 0 "run, no device" "$ingot" run "$work/m.ingot" --input "x=2x${size}xf32=0.5"
shows "$work/err" "run, no device" '^note: running on'
expect 0 "run an archive" "$ingot" run "$data/mlp_dynamic.pt2" --device=cpu \
  --input "2x${size}xf32=0.5" --output "@$work/y.npy"
expect 0 "run to npz" "$ingot" run "$work/m.ingot" --device=cpu --input "@$data/mlp_dynamic.npz" \
  --output "@$work/y.npz"
[ -s "$work/y.npy" ] && [ -s "$work/y.npz" ] || { echo "FAIL  run: no output files"; failed=1; }
expect 0 "what run wrote is right" "$ingot" verify "$work/m.ingot" --device=cpu \
  --expected "$data/mlp_dynamic.npz"
shows "$work/out" verify '^1 of 1 results match'
expect 2 "malformed input" "$ingot" run "$work/m.ingot" --device=cpu --input 2y64
expect 2 "malformed output" "$ingot" run "$work/m.ingot" --device=cpu \
  --input "2x${size}xf32=0.5" --output y.npy
expect 3 "missing input" "$ingot" run "$work/m.ingot" --device=cpu
shows "$work/err" "missing input" "input 'x' is not given"
expect 3 "unknown input" "$ingot" run "$work/m.ingot" --device=cpu --input z=f32=1
expect 3 "surplus input" "$ingot" run "$work/m.ingot" --device=cpu \
  --input "2x${size}xf32=0.5" --input f32=1
expect 3 "wrong dtype" "$ingot" run "$work/m.ingot" --device=cpu --input "2x${size}xi64=1"
expect 3 "no such file" "$ingot" run "$work/none.ingot" --device=cpu
expect 3 "no archive" "$ingot" run "$0" --device=cpu
expect 4 "no such device" "$ingot" run "$work/m.ingot" --device=cuda:0 \
  --input "2x${size}xf32=0.5"
expect 2 "malformed device" "$ingot" run "$work/m.ingot" --device=abacus \
  --input "2x${size}xf32=0.5"

expect 1 "results differ" "$ingot" verify "$work/m.ingot" --device=cpu \
  --expected "$data/mlp_dynamic.npz" --rtol 0 --atol 0
shows "$work/out" "results differ" '^FAIL  out0'
expect 3 "expected file missing" "$ingot" verify "$work/m.ingot" --expected "$work/none.npz"

expect 0 inspect "$ingot" inspect "$work/m.ingot"
shows "$work/out" inspect '^plan cpu: '
for option in --plan --plan=cpu --kernels --memory --coverage; do
  expect 0 "inspect $option" "$ingot" inspect "$work/m.ingot" "$option"
done
expect 3 "no such plan" "$ingot" inspect "$work/m.ingot" --plan=sm_80
expect 1 "no GPU" "$ingot" inspect "$work/m.ingot" --for=t4
expect 0 "inspect --json" "$ingot" inspect "$work/m.ingot" --json
shows "$work/out" "inspect --json" '"plans"'
expect 0 "inspect an archive" "$ingot" inspect "$data/mlp_dynamic.pt2"
shows "$work/out" "inspect an archive" 'aten.linear.default'
expect 0 "inspect --graph" "$ingot" inspect "$data/mlp_dynamic.pt2" --graph
"$ingot" inspect "$data/mlp_dynamic.pt2" --graph >"$work/g.ir"
expect 0 opt "$ingot" opt --pass=eliminate-dead-code "$work/g.ir"
shows "$work/out" opt '^graph main'
expect 2 "no such pass" "$ingot" opt --pass=guess "$work/g.ir"
expect 3 "malformed graph" "$ingot" opt --pass=eliminate-dead-code "$0"

expect 0 bench "$ingot" bench "$work/m.ingot" --device=cpu --duration-s 0.05 --warmup-ms 1 \
  --json "$work/b.json" --html "$work/b.html"
shows "$work/out" bench '^p50 '
shows "$work/b.json" "bench --json" '"p90_ms"'
shows "$work/b.html" "bench --html" '</svg>'
expect 0 doctor "$ingot" doctor
expect 0 "doctor --json" "$ingot" doctor --json
expect 4 tune "$ingot" tune "$data/mlp_dynamic.pt2" -o "$work/t.json"

[ "$failed" -eq 0 ] && echo "all checks passed"
exit "$failed"
