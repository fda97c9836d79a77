#!/bin/sh
# Overwrites, in place, the path of the loader (the ELF interpreter) that a dynamically linked program asks for:
#   set-interpreter.sh PROGRAM NEW_PATH
# patchelf would move parts of the file, which breaks what Bun has compiled. The new path must not be longer than the old
# one; the rest is filled with NULs.
set -eu
program=$1 new=$2

# `OFFSET:PATH` of the first loader path in the file. Linkers put the interpreter before all code and data, on the first page.
found=$(LC_ALL=C grep -aboE -m1 '/lib(64)?/ld-linux-[a-z0-9_-]+\.so\.[0-9]' "$program" | head -n1)
offset=${found%%:*} old=${found#*:}
if [ -z "$found" ] || [ "$offset" -ge 4096 ]; then
  echo "set-interpreter: $program names no loader on its first page" >&2
  exit 1
fi
if [ "${#new}" -gt "${#old}" ]; then
  echo "set-interpreter: $new is longer than $old, the loader that $program names" >&2
  exit 1
fi
{
  printf '%s' "$new"
  head -c $((${#old} - ${#new})) /dev/zero
} | dd of="$program" bs=1 seek="$offset" conv=notrunc status=none
