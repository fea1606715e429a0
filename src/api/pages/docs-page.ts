// The API's description as a page: every operation by its resource, with what it takes and what it answers.
import type { ApiDescription } from '../openapi.ts';
import { escapeHtml, type Page } from './page.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
}

interface Operation {
  summary?: string;
  tags?: string[];
  security?: unknown[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
}

export function docsPage(api: ApiDescription): Page {
  const schemas = (api.components.schemas ?? {}) as Record<string, Schema>;
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(api.paths ?? {})) {
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
      const tag = operation.tags?.[0] ?? 'other';
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationHtml(method, path, operation, schemas)]);
    }
  }
  const sections = [...byTag].map(([tag, operations]) => `<h2>${escapeHtml(tag)}</h2>${operations.join('')}`);
  return {
    title: 'The API of Lectern',
    body: `<main class="docs"><p class="wordmark"><a href="/">Lectern</a></p><h1>The API</h1>
      <p>Programs log in with a token, as <code>Authorization: Bearer</code>; make one with <code>lectern token create</code>.
      For machines, the same as <a href="/openapi.json">openapi.json</a>.</p>${sections.join('')}</main>`,
  };
}

function operationHtml(
  method: string,
  path: string,
  operation: Operation,
  schemas: Record<string, Schema>,
): string {
  const input = operation.requestBody?.content?.['application/json']?.schema;
  const answers = Object.entries(operation.responses ?? {}).sort(([a], [b]) => a.localeCompare(b));
  const success = answers.find(([status]) => status.startsWith('2'))?.[1];
  const output = success?.content?.['application/json']?.schema;
  return `<details><summary><span class="method">${escapeHtml(method)}</span><code class="path">${escapeHtml(path)}</code>
    <span class="what">${escapeHtml(operation.summary ?? '')}</span></summary><div class="details">
    <p>${operation.security?.length === 0 ? 'Open to everybody.' : 'Needs a login.'}</p>
    ${input ? `<h3>Takes</h3><pre>${escapeHtml(shape(input, schemas))}</pre>` : ''}
    ${output ? `<h3>Answers</h3><pre>${escapeHtml(shape(output, schemas))}</pre>` : ''}
    <h3>Status</h3><dl>${answers.map(([status, { description }]) => `<dt>${escapeHtml(status)}</dt><dd>${escapeHtml(description ?? '')}</dd>`).join('')}</dl>
    </div></details>`;
}

/** A schema as one would write the value by hand: {"name": string, "scope": "read" | "write"}. */
function shape(schema: Schema, schemas: Record<string, Schema>, indent = ''): string {
  if (schema.$ref) {
    const named = schemas[schema.$ref.split('/').at(-1) ?? ''];
    return named ? shape(named, schemas, indent) : 'any';
  }
  if (schema.allOf) {
    const properties = Object.assign({}, ...schema.allOf.map((part) => resolve(part, schemas).properties));
    const required = schema.allOf.flatMap((part) => resolve(part, schemas).required ?? []);
    return shape({ type: 'object', properties, required }, schemas, indent);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.properties) {
    const inner = `${indent}  `;
    const lines = Object.entries(schema.properties).map(([name, value]) => {
      const optional = schema.required?.includes(name) ? '' : '?';
      return `${inner}"${name}"${optional}: ${shape(value, schemas, inner)}`;
    });
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  if (schema.items) return `[${shape(schema.items, schemas, indent)}, ...]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}
