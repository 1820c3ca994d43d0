// Elements and SVG marks. Names are data: they become text nodes and attribute values here, never markup.

export type Child = Node | string | null;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

export function mark(tag: string, attributes: Record<string, string | number>, ...children: Child[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

const whole_width = 1096;
const paper_width = 720; // also of windows between a phone's and the whole
const phone_width = 358;
let is_printing = false;
addEventListener("beforeprint", () => (is_printing = true), { capture: true });
addEventListener("afterprint", () => (is_printing = false), { capture: true });

/** A figure in the width that there is, drawn again when that changes: at once for paper, since no frame runs before it is printed. */
export function fitted(draw: (width: number) => Element, whole = whole_width): HTMLElement {
  const frame = element("div");
  const phone = matchMedia("(max-width: 760px)");
  const narrow = matchMedia("(max-width: 1040px)");
  let drawn = 0;
  const redraw = () => {
    const width = is_printing ? paper_width : phone.matches ? phone_width : narrow.matches ? paper_width : whole;
    if (width !== drawn) frame.replaceChildren(draw(width));
    drawn = width;
  };
  for (const query of [phone, narrow]) query.addEventListener("change", redraw);
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, redraw);
  redraw();
  return frame;
}

/** Text of a figure, cut in the middle to what has room in `width` px, with the whole in its tooltip. */
export function label(x: number, y: number, anchor: string, words: string, width = Infinity, kind = "mark-text"): SVGElement {
  const whole = visible(words);
  const most = Math.max(3, Math.floor(width / (kind.includes("strong") ? 7.6 : 6.6)));
  if (whole.length <= most) return mark("text", { x, y, "text-anchor": anchor, class: kind }, whole);
  const letters = Array.from(whole);
  const end = Math.floor(most / 3);
  const cut = `${letters.slice(0, most - end - 1).join("")}…${end ? letters.slice(-end).join("") : ""}`;
  return mark("text", { x, y, "text-anchor": anchor, class: kind }, cut, mark("title", {}, whole));
}

const longest = 120;

/** A name as it is shown: control marks spelled out, very long ones cut in the middle, direction isolated. */
export function name(text: string): HTMLElement {
  const shown = element("bdi", {}, visible(text));
  if (text.length > longest) shown.title = visible(text);
  return shown;
}

/** What is told of a name where there is little room: "vectorized_elementwise_kernel<4…", "conv2d". */
export function short_name(text: string): string {
  return text.replace(/^(void |autograd::engine::evaluate_function: )/, "").replace(/^((\w+|\(anonymous namespace\))::)+(?=\w)/, "");
}

/** A kernel's name without its arguments, "bn_fw_tr_1C11_kernel_NCHW<float, …>"; the whole in its tooltip. */
export function kernel_name(text: string): HTMLElement {
  const bare = short_name(text);
  const open = bare.search(/[<(]/);
  const brief = open > 2 && bare.length > 48 ? `${bare.slice(0, Math.max(open + 1, 44))}…` : bare;
  const shown = element("bdi", {}, visible(brief));
  if (brief !== text) shown.title = visible(text, 400);
  return shown;
}

/** A path's last piece; the whole in its tooltip. */
export function file_name(text: string): HTMLElement {
  const brief = /[^/\\]+$/.exec(text)?.[0] ?? text;
  const shown = name(brief);
  if (brief !== text) shown.title = visible(text, 400);
  return shown;
}

/** Sentences of takt are longer than names may be. */
export const sentence = (text: string) => visible(text, 400);

export function visible(text: string, most = longest): string {
  const spelled = text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
  if (spelled.length <= most) return spelled;
  const letters = Array.from(spelled);
  if (letters.length <= most) return spelled;
  return `${letters.slice(0, most - 50).join("")}…${letters.slice(-45).join("")}`;
}

export function download(file: string, type: string, text: string): void {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: file });
  link.click();
  URL.revokeObjectURL(link.href);
}
