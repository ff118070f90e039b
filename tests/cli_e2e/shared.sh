#!/usr/bin/env bash
# shared.sh PROGRAM FOLDER...: runs a checking program over reference folders; 77 (skipped) where they are not there.
set -euo pipefail
program="$1"
shift
for folder in "$@"; do
  [ -e "$folder" ] || { echo "SKIPPED: no $folder"; exit 77; }
done
exec "$program" "$@"
