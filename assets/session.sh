#!/usr/bin/env bash
# One run from start to end, through an approval, an edited goal, a pause, a kill -9 in the middle of a command, a
# rollback and its redo. Needs `wakeful` on the PATH (or WAKEFUL=path); prints what a person would see.
set -euo pipefail
WAKEFUL=$(command -v "${WAKEFUL:-wakeful}")
SCRIPT=$(cd "$(dirname "$0")" && pwd)/session.toml
FOLDER=$(mktemp -d)
trap 'rm -rf "$FOLDER"' EXIT
mkdir "$FOLDER/garden" "$FOLDER/home"
cd "$FOLDER/garden"
export HOME=$FOLDER/home WAKEFUL_DB=$FOLDER/wakeful.db WAKEFUL_OFFLINE_SCRIPT=$SCRIPT

wakeful() { "$WAKEFUL" "$@"; }
say() { printf '\n# %s\n' "$*"; }
show() {
  printf '$ wakeful'
  printf ' %q' "$@"
  printf '\n'
  local code=0
  wakeful "$@" 2>&1 || code=$?
  [ "$code" -eq 0 ] || printf '(exit %s)\n' "$code"
}
waiting() { wakeful intents last --json 2>/dev/null | tr -d ' \n' | grep -o '"call_id":"c-[0-9a-f]*"' | head -n 1 | cut -d'"' -f4; }

say "Start. Nobody is at the terminal, so the first call with an effect stops the run with exit code 4."
show run "Measure the garden and write summary.md" --check file:summary.md --model offline --headless

say "What waits, exactly; then allow it."
show intents last
show approve "$(waiting)"

say "The goal is sharpened meanwhile; the agent sees it from its next step on."
show goal last --set "Measure the garden and write summary.md with the number"

say "Go on to the command, which waits too; pause, so that nothing goes on by accident; allow the command."
show resume last --headless
show pause last
show approve "$(waiting)"

say "Resume, and kill -9 the worker while the command runs."
printf '$ wakeful resume last --headless &    # killed after two seconds\n'
"$WAKEFUL" resume last --headless >"$FOLDER/out" 2>&1 &
worker=$!
sleep 2
kill -9 "$worker"
wait "$worker" 2>/dev/null || true
cat "$FOLDER/out"
printf '(killed)  effects so far: %s\n' "$(cat effects.log 2>/dev/null || echo none)"

say "Resume: the command went on under its supervisor; its result is picked up, and it was not run again."
show resume last --headless
printf '$ cat effects.log\n%s\n' "$(cat effects.log)"

say "Allow the summary, and let the run come to its end."
show approve "$(waiting)"
show resume last --headless

say "Roll back to step 2: first what it would do, then the deed; then undo it."
show rollback last --to 2 --dry-run
show rollback last --to 2
printf '$ ls\n%s\n' "$(ls)"
show redo last
printf '$ ls\n%s\n' "$(ls)"
show checkpoints last

say "The redone run is over, as it was before the rollback: its report, and nothing is asked or done again."
show resume last --headless
printf '$ cat effects.log\n%s\n' "$(cat effects.log)"
show runs
