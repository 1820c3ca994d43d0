// The colours of a canvas: the tokens of style.css as they are now, in light, dark or on paper.

const tokens = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "busy", "host", "comm", "copy", "fill", "other", "sync", "starved", "blocked",
  "dispatch", "paper", "raise", "ink", "ink2", "ink3", "line", "hair", "focus"] as const;
type Token = (typeof tokens)[number];
export type Colours = Record<Token, string>;

/** `on_paper`: those of the first rule, which are the light ones. */
export function read_colours(on_paper: boolean): Colours {
  const rule = document.styleSheets[0]?.cssRules[0];
  const style = on_paper && rule instanceof CSSStyleRule ? rule.style : getComputedStyle(document.documentElement);
  return Object.fromEntries(tokens.map((token) => [token, style.getPropertyValue(`--${token}`).trim()])) as Colours;
}

/** "wait-starved" lies low, in the colour of its cause. */
export function is_wait(colour: string): boolean {
  return colour.startsWith("wait-");
}

export function colour_of(kind: string, colours: Colours): string {
  const token = kind.replace(/^wait-/, "");
  return (tokens as readonly string[]).includes(token) ? colours[token as Token] : colours.k0;
}

function brightness(hex: string): number {
  const part = (at: number) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

/** White or near black, whichever is read better on a fill. */
export function text_on(fill: string): string {
  const bright = brightness(fill);
  return 1.05 / (bright + 0.05) > (bright + 0.05) / (brightness("#15181c") + 0.05) ? "#ffffff" : "#15181c";
}
