export const engines = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof engines)[number];

declare module 'vitest' {
  interface ProvidedContext {
    /** Engines that `onEachEngine` runs its suites on at this level. */
    engines: readonly EngineName[];
  }
}
