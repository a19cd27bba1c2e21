#!/bin/sh
# Installs a build, builds examples/cpp against it with find_package(Ingot), and runs the example
# and the installed `ingot`: check.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
for file in bin/ingot include/ingot/ingot.h include/ingot/ingot.hpp include/ingot/dlpack.h; do
  [ -e "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
# The prefix may move.
mv "$work/prefix" "$work/moved"
cmake -S "$source/examples/cpp" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/example" >/dev/null
"$work/moved/bin/ingot" compile "$source/tests/data/add_linear.pt2" --target=cpu \
  -o "$work/model.ingot"
"$work/example/example" "$work/model.ingot" | tee "$work/out"
grep -q 'elements, the first is' "$work/out"
# Its errors are readable.
! "$work/example/example" "$work/nothing.ingot" 2>"$work/err"
grep -q '^error\[E0201\]' "$work/err"
# A C program needs the header alone.
printf '#include <ingot/ingot.h>\nint main(void) { return ingot_version()[0] == 0; }\n' >"$work/c.c"
cc -std=c99 -Wall -Wextra -Werror -pedantic -I "$work/moved/include" "$work/c.c" \
  -L "$(dirname "$(find "$work/moved" -name libingot_runtime.so)")" -lingot_runtime -o "$work/c"
