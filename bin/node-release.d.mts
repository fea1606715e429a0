export interface NodeRelease {
  readonly path: string;
  readonly version: string;
}

export interface KnownHoles {
  readonly checkedOn: string;
  readonly newest: string;
  readonly holes: readonly { readonly fixedIn: string; readonly name: string; readonly effect: string }[];
}

export const knownHoles: KnownHoles;
export function chooseNode(packaged: NodeRelease | undefined, running: NodeRelease): NodeRelease | undefined;
export function nodeWarnings(version: string, nowMs: number, known?: KnownHoles): string[];
