// The part of WebAssembly that is used here. Neither the types of Node nor those of the language know it.

export interface WasmMemory {
  /** Another one after it has grown. */
  readonly buffer: ArrayBuffer;
  /** By pages of 64 KB. Fails with a RangeError. */
  grow(pages: number): number;
}

export type WasmModule = object;

interface WebAssemblyOfNode {
  readonly Memory: new (size: { readonly initial: number; readonly maximum?: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { readonly env: { readonly memory: WasmMemory } },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyOfNode }).WebAssembly;
