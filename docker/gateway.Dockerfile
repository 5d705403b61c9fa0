# The gateway in an image. compose.yaml beside it runs it next to this machine's Docker; docs/guides/deploy.md tells how.
# Built from a clone, or from the folder of the published package.

# Any image with Node 22.19 or newer, a shell, tar and ldd.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS package
WORKDIR /sallyport-package
COPY . .
# What came with node_modules and dist is taken as it is; of a clone, .dockerignore leaves both out.
RUN if [ ! -d node_modules ] || [ ! -d dist ]; then npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm prune --omit=dev --ignore-scripts; fi

FROM ${BASE}
COPY --from=package /sallyport-package/node_modules /opt/sallyport/node_modules
COPY --from=package /sallyport-package/dist /opt/sallyport/dist
COPY package.json /opt/sallyport/
COPY docker /opt/sallyport/docker
COPY docker/gateway.sh /usr/local/bin/sallyport
RUN mkdir -p /data /workspace && chown 10001:10001 /data /workspace
# Scratch files lie where Docker outside can be shown them, and not in memory.
ENV NODE_ENV=production HOME=/data TMPDIR=/data/tmp
# compose.yaml takes the user whose files the workspace holds.
USER 10001:10001
VOLUME /data
WORKDIR /workspace
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "require('node:net').connect('/data/state/control.sock').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"]
ENTRYPOINT ["sallyport"]
CMD ["start"]
