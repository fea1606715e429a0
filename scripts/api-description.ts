// docs/openapi.yaml, made from the routes. `npm run openapi` writes it; a test fails when it is stale.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { createApi } from '../src/api/app.ts';
import type { ApiDeps } from '../src/api/context.ts';
import { createMetrics } from '../src/api/metrics.ts';
import { describeApi } from '../src/api/openapi.ts';
import { createLog } from '../src/log.ts';

export const apiDescriptionFile = fileURLToPath(new URL('../docs/openapi.yaml', import.meta.url));

export function apiDescription(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  // Describing the routes calls none of them, so there is no store behind them.
  const deps: Partial<ApiDeps> = {
    isUp: () => true,
    log: createLog({ level: 'silent', format: 'json', out: process.stderr }),
    metrics: createMetrics({ process: false }),
    client: { trustedProxies: [], publicUrl: undefined },
    corsAllowedOrigins: [],
    randomText: () => '',
    embeddings: { kind: 'off' },
    deframer: { open: true, intervalMs: 0, items: 0, analyzer: { type: '', model: '' } },
  };
  const { router } = createApi(deps as ApiDeps);
  return `# Generated from the routes by: npm run openapi\n${stringify(describeApi(router, version), { lineWidth: 110, aliasDuplicateObjects: false })}`;
}
