// The spot that is looked at, in the URL's fragment, so that a colleague can be sent to it: "#tab=1&t=1420000-2060000" is the
// first tab's timeline from 1.42 to 2.06 ms of the trace. Nothing else is stored.

export function tab_in_url(): number {
  return Number(/(?:^#|&)tab=(\d+)/.exec(location.hash)?.[1] ?? 1) - 1;
}

/** The window of the tab's timeline; null: the fragment has none. */
export function window_in_url(tab: number): [number, number] | null {
  const found = /&t=(\d{1,17})-(\d{1,17})(?:&|$)/.exec(location.hash);
  return found && tab_in_url() === tab ? [Number(found[1]), Number(found[2])] : null;
}

let waiting = 0;

/** When nothing moves any longer. null: all of the trace. */
export function put_window(tab: number, window: [number, number] | null): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (tab_in_url() !== tab) return;
    history.replaceState(null, "", `#tab=${tab + 1}${window ? `&t=${window.map(Math.round).join("-")}` : ""}`);
  }, 300);
}
