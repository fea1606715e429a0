// Dragging by pointer: at once with a mouse, after a long press with a finger, so that scrolling stays scrolling.
const longPressMs = 400;
const slackPx = 6;

export function dragRow({
  onmove,
  ondrop,
  oncancel,
}: {
  onmove: (x: number, y: number) => void;
  ondrop: () => void;
  oncancel: () => void;
}) {
  return (row: HTMLElement) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDragging = false;

    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      const { clientX: fromX, clientY: fromY, pointerType } = event;
      const begin = (x: number, y: number) => {
        isDragging = true;
        onmove(x, y);
        if (pointerType !== 'mouse') navigator.vibrate?.(10);
      };
      const move = ({ clientX, clientY }: PointerEvent) => {
        if (isDragging) return onmove(clientX, clientY);
        if (Math.hypot(clientX - fromX, clientY - fromY) < slackPx) return;
        if (pointerType === 'mouse') begin(clientX, clientY);
        else stop();
      };
      const stop = () => {
        clearTimeout(timer);
        removeEventListener('pointermove', move);
        removeEventListener('pointerup', up);
        removeEventListener('pointercancel', cancel);
        removeEventListener('keydown', key, true);
      };
      const up = () => {
        stop();
        if (!isDragging) return;
        ondrop();
        // The click that follows is the end of the drag, not a choice.
        row.addEventListener('click', swallow, { capture: true, once: true });
        setTimeout(() => {
          isDragging = false;
          row.removeEventListener('click', swallow, { capture: true });
        });
      };
      const cancel = () => {
        stop();
        if (isDragging) oncancel();
        isDragging = false;
      };
      const key = (pressed: KeyboardEvent) => {
        if (pressed.key !== 'Escape' || !isDragging) return;
        pressed.stopPropagation();
        cancel();
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', up);
      addEventListener('pointercancel', cancel);
      addEventListener('keydown', key, true);
      if (pointerType !== 'mouse') timer = setTimeout(() => begin(fromX, fromY), longPressMs);
    };
    const swallow = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    const hold = (event: Event) => {
      if (isDragging && event.cancelable) event.preventDefault();
    };

    row.addEventListener('pointerdown', down);
    row.addEventListener('touchmove', hold, { passive: false });
    row.addEventListener('contextmenu', hold);
    return () => {
      row.removeEventListener('pointerdown', down);
      row.removeEventListener('touchmove', hold);
      row.removeEventListener('contextmenu', hold);
    };
  };
}
