# What the scripts share. Source it; it moves to the repository's root.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
export TZ="${TZ:-Etc/UTC}" DEBIAN_FRONTEND=noninteractive

note() { printf '%s\n' "$*" >&2; }
# die CODE MESSAGE: exit codes as everywhere, 2 usage, 5 unfit environment.
die() { local code="$1"; shift; note "$(basename "$0"): $*"; exit "$code"; }
# The project's source files: those git would commit, or all outside build folders where there is no git.
source_files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # Not the deleted ones, which git lists until they are committed.
    git ls-files --cached --others --exclude-standard | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
  else
    find . -type d \( -name 'build*' -o -name .git -o -name __pycache__ \) -prune -o -type f -print | sed 's|^\./||'
  fi
}
