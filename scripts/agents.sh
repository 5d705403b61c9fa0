#!/usr/bin/env bash
# Installs the real agents that tests are held against, at pinned versions, each into a folder of its own; does nothing when they are there.
# They are never in package.json: some of their optional platform packages are missing from registries, and then npm ci fails.
# Names after the command install only those: scripts/agents.sh opencode claude
set -euo pipefail

folder="${SALLYPORT_AGENTS:-$HOME/.cache/sallyport-agents}"

# The same versions as in src/core/known-agents.ts; a test compares the two.
package_of() {
  case "$1" in
    opencode) echo "opencode-ai@1.18.33" ;;
    claude) echo "@agentclientprotocol/claude-agent-acp@0.101.0" ;;
    gemini) echo "@google/gemini-cli@0.61.0" ;;
    codex) echo "@agentclientprotocol/codex-acp@2.6.0" ;;
    *)
      echo "There is no agent $1. Known ones: opencode, claude, gemini, codex." >&2
      exit 1
      ;;
  esac
}

# The mark is written last: what was cut off half-way is installed again.
is_there() {
  [ "$(cat "$folder/$1/.installed" 2>/dev/null)" = "$2" ]
}

# Agents keep state in the home folder even for this; they must not find anybody's.
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

runs() {
  HOME="$scratch" OPENCODE_DISABLE_AUTOUPDATE=1 "$1/node_modules/.bin/opencode" --version >/dev/null 2>&1
}

install() {
  local name="$1" package="$2" place="$folder/$1"
  rm -rf "$place"
  mkdir -p "$place"
  npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$place" "$package" >&2 || {
    echo "$package could not be installed into $place. Check the network and the npm registry, then run this again." >&2
    exit 1
  }
  if [ "$name" = opencode ]; then
    # Its install script puts the right binary in place; where npm is set to run none, it is run here.
    runs "$place" || node "$place/node_modules/opencode-ai/postinstall.mjs" >&2
  fi
  echo "$package" >"$place/.installed"
}

[ $# -gt 0 ] || set -- opencode claude gemini codex
for name in "$@"; do
  package="$(package_of "$name")"
  is_there "$name" "$package" || install "$name" "$package"
  echo "$package: $folder/$name"
done
