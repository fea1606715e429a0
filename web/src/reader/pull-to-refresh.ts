// Pulling a list down from its top, with a finger.
const threshold = 64;
const furthest = 96;

export function pullToRefresh({
  onpull,
  onrefresh,
}: {
  /** How far, in px; 0 when it is let go. */
  onpull: (px: number) => void;
  onrefresh: () => void;
}) {
  return (scroller: HTMLElement) => {
    let from: { x: number; y: number } | undefined;
    let pulled = 0;
    const start = (event: TouchEvent) => {
      const touch = event.touches[0];
      from =
        scroller.scrollTop <= 0 && event.touches.length === 1 && touch
          ? { x: touch.clientX, y: touch.clientY }
          : undefined;
    };
    const move = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (!from || !touch) return;
      const down = touch.clientY - from.y;
      if (pulled === 0 && (down < 8 || Math.abs(touch.clientX - from.x) > down)) return;
      pulled = Math.max(0, Math.min(furthest, down * 0.5));
      if (event.cancelable) event.preventDefault();
      onpull(pulled);
    };
    const end = () => {
      if (pulled > threshold) onrefresh();
      pulled = 0;
      from = undefined;
      onpull(0);
    };
    scroller.addEventListener('touchstart', start, { passive: true });
    // Not passive: the page must not scroll along.
    scroller.addEventListener('touchmove', move, { passive: false });
    scroller.addEventListener('touchend', end);
    scroller.addEventListener('touchcancel', end);
    return () => {
      scroller.removeEventListener('touchstart', start);
      scroller.removeEventListener('touchmove', move);
      scroller.removeEventListener('touchend', end);
      scroller.removeEventListener('touchcancel', end);
    };
  };
}
