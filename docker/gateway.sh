#!/bin/sh
# The command sallyport in the gateway's image: on the state and the workspace of its container, also for docker exec.
mkdir -p "$TMPDIR"
exec node /opt/sallyport/dist/src/cli/main.js --state /data/state --workspace /workspace "$@"
