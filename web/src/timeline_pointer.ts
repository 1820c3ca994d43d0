// The pointer on a timeline: drag moves, Ctrl or ⌘ and the wheel (or a pinch) zoom where the pointer is, Shift and the
// wheel move. The plain wheel is the page's.

import type { Window } from "./timeline_window";

export interface Hands {
  window: Window;
  /** The time that a place in the element stands for, as a share of the window. */
  share: (event: MouseEvent) => number;
  width: () => number;
  changed: () => void;
  press: (event: PointerEvent) => void;
  hover: (event: PointerEvent | null) => void;
}

const least_drag = 4; // pixels; less is a press

export function handle_pointer(element: HTMLElement, hands: Hands): void {
  let down: { x: number; from: number; to: number; is_drag: boolean } | null = null;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down = { x: event.clientX, from: hands.window.from, to: hands.window.to, is_drag: false };
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (down === null) return hands.hover(event);
    const moved = event.clientX - down.x;
    down.is_drag ||= Math.abs(moved) >= least_drag;
    if (!down.is_drag) return;
    const time = (moved / hands.width()) * (down.to - down.from);
    hands.hover(null);
    hands.window.set(down.from - time, down.to - time);
    hands.changed();
  });
  element.addEventListener("pointerup", (event) => {
    if (down !== null && !down.is_drag) hands.press(event);
    down = null;
  });
  element.addEventListener("pointercancel", () => (down = null));
  element.addEventListener("pointerleave", () => hands.hover(null));
  element.addEventListener(
    "wheel",
    (event) => {
      const is_sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !event.metaKey && !is_sideways) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) hands.window.zoom(1.002 ** Math.max(-300, Math.min(300, event.deltaY)), hands.share(event));
      else hands.window.move((event.deltaX || event.deltaY) / hands.width());
      hands.changed();
    },
    { passive: false },
  );
}

/** A press or a drag on the overview puts the window there. */
export function handle_overview(element: HTMLElement, place: (share: number) => void, share: (event: MouseEvent) => number): void {
  let is_down = false;
  element.addEventListener("pointerdown", (event) => {
    is_down = true;
    element.setPointerCapture(event.pointerId);
    place(share(event));
  });
  element.addEventListener("pointermove", (event) => {
    if (is_down) place(share(event));
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (is_down = false));
}
