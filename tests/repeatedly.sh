#!/usr/bin/env bash
# Runs the tests of `make test` again and again in a fresh clone, beside busy loops, and stops at the first failure:
#
#     make test-repeatedly                                        # ten rounds, one busy loop
#     make test-repeatedly ROUNDS=3 BUSY=2 ARGS="tests/server"    # three of one folder, beside two
#     make test-repeatedly LONG=1                                 # those of `make test-long` too
#
# The clone has what is committed, and an environment of its own. After a failure the clone and its log are kept.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE= # as in the Makefile
rounds=${ROUNDS:-10}
busy=${BUSY:-1}
read -ra arguments <<<"${ARGS:-}"
[ -n "${LONG:-}" ] || arguments+=(-m "not long")
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || echo "note: uncommitted changes are not tested"

folder=$(mktemp -d "${TMPDIR:-/tmp}/roost-repeatedly-XXXXXX")
loops=()
trap '[ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null || true' EXIT

git clone --quiet . "$folder/clone"
cd "$folder/clone"
make --silent .venv/.ready
for ((number = 0; number < busy; number++)); do
  (while :; do :; done) &
  loops+=($!)
done

for ((round = 1; round <= rounds; round++)); do
  log=$folder/round-$round.log
  if ! .venv/bin/pytest -n auto --dist worksteal "${arguments[@]}" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "round $round of $rounds failed; the clone and its log are kept: $folder"
    exit 1
  fi
  echo "round $round of $rounds: $(tail -n 1 "$log")"
done
cd /
rm -rf "$folder"
