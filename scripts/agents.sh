#!/usr/bin/env bash
# Installs the real agents that tests are held against, at pinned versions, into a folder of their own; does nothing when they are there.
# They are never in package.json: some of their optional platform packages are missing from registries, and then npm ci fails.
set -euo pipefail

folder="${SALLYPORT_AGENTS:-$HOME/.cache/sallyport-agents}"
opencode=1.18.33

# Agents keep state in the home folder even for this; they must not find anybody's.
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

is_there() {
  [ "$(HOME="$scratch" OPENCODE_DISABLE_AUTOUPDATE=1 "$folder/node_modules/.bin/opencode" --version 2>/dev/null)" = "$opencode" ]
}

if ! is_there; then
  mkdir -p "$folder"
  npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$folder" "opencode-ai@$opencode" >&2
  # Its install script puts the right binary in place; where npm is set to run none, it is run here.
  is_there || node "$folder/node_modules/opencode-ai/postinstall.mjs" >&2
  is_there || {
    echo "opencode $opencode could not be installed into $folder. Check the network and the npm registry, then run this again." >&2
    exit 1
  }
fi
echo "opencode $opencode: $folder/node_modules/.bin/opencode"
