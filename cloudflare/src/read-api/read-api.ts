import type { Env } from '../env.ts';

export interface MirrorControls {
  status(): Promise<unknown>;
  start(): Promise<boolean>;
  reinflate(options: { rag: boolean }): Promise<unknown>;
}

export function createReadApi(
  _env: Env,
  _mirror: MirrorControls,
): { fetch(request: Request): Promise<Response> } {
  return { fetch: async () => new Response('Not found', { status: 404 }) };
}
