// Where something small stands beside a passage: above it, or below where there is no room or a finger is in the way.
export interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const apart = 8;

export function placeBeside(
  passage: Box,
  size: { width: number; height: number },
  within: Box,
  prefers: 'above' | 'below',
): { left: number; top: number } {
  const left = (passage.left + passage.right - size.width) / 2;
  const above = passage.top - size.height - apart;
  const below = passage.bottom + apart;
  const fitsAbove = above >= within.top + apart;
  const fitsBelow = below + size.height <= within.bottom - apart;
  const isAbove = prefers === 'above' ? fitsAbove || !fitsBelow : fitsAbove && !fitsBelow;
  const clamp = (value: number, from: number, to: number) => Math.max(from, Math.min(value, to));
  return {
    left: clamp(left, within.left + apart, within.right - size.width - apart),
    top: clamp(isAbove ? above : below, within.top + apart, within.bottom - size.height - apart),
  };
}
