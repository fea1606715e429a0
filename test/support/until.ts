import { setTimeout as pause } from 'node:timers/promises';

/** Asks again until `found` gives something true, and returns that. What is waited for is named in the failure. */
export async function until<T>(
  what: string,
  found: () => Promise<T> | T,
  withinMs = 45_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await found();
    if (value !== undefined && value !== null && value !== false) {
      return value as NonNullable<Exclude<T, false>>;
    }
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await pause(20);
  }
}
