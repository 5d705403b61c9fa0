# What an agent runs in: Node, the tools a coding agent reaches for, Sallyport's own agent, and one other if AGENT names it.
# `sallyport image build` builds it; without a registry, `sallyport image build --from-host` makes one of this machine's files.

ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS package
WORKDIR /sallyport-package
COPY . .
# What came with node_modules and dist is taken as it is; of a clone, .dockerignore leaves both out.
RUN if [ ! -d node_modules ] || [ ! -d dist ]; then npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm prune --omit=dev --ignore-scripts; fi
RUN node docker/own-agent.mjs /own

FROM ${BASE}
# workspace (built in), claude, codex, opencode or gemini
ARG AGENT=workspace
ARG CLAUDE_VERSION=0.101.0 CODEX_VERSION=2.6.0 OPENCODE_VERSION=1.18.33 GEMINI_VERSION=0.61.0

# A base that has the tools is left as it is.
RUN missing="" \
 && for tool in git curl rg jq patch python3; do command -v "$tool" > /dev/null || missing="$missing $tool"; done \
 && if [ -n "$missing" ] && command -v apt-get > /dev/null; then \
      apt-get update \
   && apt-get install -y --no-install-recommends ca-certificates curl git jq less patch procps python3 ripgrep unzip \
   && rm -rf /var/lib/apt/lists/*; \
    fi
RUN case "$AGENT" in \
      workspace) ;; \
      claude) npm install -g "@agentclientprotocol/claude-agent-acp@$CLAUDE_VERSION" ;; \
      codex) npm install -g "@agentclientprotocol/codex-acp@$CODEX_VERSION" ;; \
      opencode) npm install -g "opencode-ai@$OPENCODE_VERSION" \
        && { opencode --version || node "$(npm root -g)/opencode-ai/postinstall.mjs"; } ;; \
      gemini) npm install -g "@google/gemini-cli@$GEMINI_VERSION" ;; \
      *) echo "AGENT is one of workspace, claude, codex, opencode, gemini" >&2; exit 1 ;; \
    esac
# The user has a name where the gateway is root and the agent runs as this one.
RUN grep -q ':10001:' /etc/passwd || { \
      echo 'agent:x:10001:10001:Agent:/home/agent:/bin/sh' >> /etc/passwd && echo 'agent:x:10001:' >> /etc/group; \
    } \
 && mkdir -p /home/agent /workspace /mnt && chown 10001:10001 /home/agent /workspace
COPY --from=package /own /opt/sallyport
ENV LANG=C.UTF-8
LABEL sallyport.image=dockerfile
USER 10001:10001
WORKDIR /workspace
