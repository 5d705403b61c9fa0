#!/usr/bin/env bash
# Installs a browser, Docker, a mail server, a compose program and systemd's checks with apt, and starts Docker's daemon where none answers. As root, on Debian.
set -euo pipefail

missing=()
command -v chromium > /dev/null || missing+=(chromium)
command -v dockerd > /dev/null || missing+=(docker.io)
command -v iptables > /dev/null || missing+=(iptables)
docker compose version > /dev/null 2>&1 || command -v docker-compose > /dev/null || missing+=(docker-compose)
dpkg -s dovecot-imapd dovecot-lmtpd > /dev/null 2>&1 || missing+=(dovecot-imapd dovecot-lmtpd)
command -v openssl > /dev/null || missing+=(openssl)
command -v systemd-analyze > /dev/null || missing+=(systemd)
if ((${#missing[@]})); then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi

answers() { timeout 5 docker info > /dev/null 2>&1; }
if ! answers; then
  # Containers of the tests have no network, so nothing is to be set up for it.
  nohup dockerd --iptables=false > /tmp/dockerd.log 2>&1 &
  for _ in $(seq 60); do
    answers && exit 0
    sleep 1
  done
  echo "dockerd does not answer; the end of its log:" >&2
  tail -20 /tmp/dockerd.log >&2
  exit 1
fi
