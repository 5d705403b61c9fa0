// Which parts of an HTML mail nobody sees: the few things of CSS that hide a text.
import type { HtmlNode } from "html-to-text";

type Declarations = ReadonlyMap<string, string>;

/** What a text inherits. */
export interface Look {
  readonly size0: boolean;
  readonly invisible: boolean;
  /** As `r,g,b`; null: not known. */
  readonly color: string | null;
  readonly background: string | null;
}

/** Black on white, as mail programs begin. */
export const firstLook: Look = {
  size0: false,
  invisible: false,
  color: "0,0,0",
  background: "255,255,255",
};

export function isSeen({ size0, invisible, color, background }: Look): boolean {
  return !size0 && !invisible && (color === null || color !== background);
}

/** Rules for `.class`, `#id` and `tag.class`; others hide nothing here. */
export interface Sheet {
  of(element: HtmlNode): Declarations;
}

const mostCss = 200_000;
const mostRules = 2000;

export function readSheet(css: string): Sheet {
  const rules = new Map<string, Map<string, string>>();
  let left = mostRules;
  for (const { selectors, body } of blocks(plainCss(css.slice(0, mostCss)))) {
    const declared = declarations(body);
    for (const selector of selectors.split(",", 20)) {
      const name = selector.trim().toLowerCase();
      if (!/^[a-z0-9]*[.#][\w-]+$/.test(name) || left-- <= 0) continue;
      rules.set(name, new Map([...(rules.get(name) ?? []), ...declared]));
    }
  }
  return { of: (element) => declaredFor(element, rules) };
}

/** Without comments, and without letters written as numbers. */
function plainCss(css: string): string {
  if (!/[\\*]/.test(css)) return css;
  const [first = "", ...more] = css.split("/*");
  const rest = more.map((part) => (part.includes("*/") ? part.slice(part.indexOf("*/") + 2) : ""));
  return [first, ...rest]
    .join(" ")
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, code) => asciiOf(Number.parseInt(code, 16)));
}

function asciiOf(code: number): string {
  return code < 128 ? String.fromCharCode(code) : "?";
}

/** Those of the top level: what `@media` says holds on some screens only. */
function* blocks(css: string): Generator<{ selectors: string; body: string }> {
  const bare = css.replace(/<!--|-->/g, " ");
  let depth = 0;
  let start = 0;
  let selectors = "";
  for (let at = 0; at < bare.length; at++) {
    if (bare[at] === "{") {
      if (depth === 0) {
        selectors = bare.slice(start, at).trim();
        start = at + 1;
      }
      depth += 1;
    } else if (bare[at] === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      if (!selectors.startsWith("@")) yield { selectors, body: bare.slice(start, at) };
      start = at + 1;
    }
  }
}

const nothing: Declarations = new Map();

function declaredFor(
  { name = "", attribs = {} }: HtmlNode,
  rules: ReadonlyMap<string, Declarations>,
): Declarations {
  if (Object.keys(attribs).length === 0) return nothing;
  const all = new Map<string, string>();
  const add = (more: Declarations | undefined) => {
    for (const [property, value] of more ?? []) all.set(property, value);
  };
  if (attribs.bgcolor) all.set("background-color", attribs.bgcolor.slice(0, 100).toLowerCase());
  if (name === "font" && attribs.color) all.set("color", attribs.color.slice(0, 100).toLowerCase());
  if (rules.size > 0) {
    for (const one of (attribs.class ?? "").slice(0, 2000).toLowerCase().split(/\s+/, 30)) {
      add(rules.get(`.${one}`));
      add(rules.get(`${name}.${one}`));
    }
    const id = (attribs.id ?? "").slice(0, 200).toLowerCase();
    if (id) add(rules.get(`#${id}`));
  }
  add(declarations(plainCss((attribs.style ?? "").slice(0, 10_000))));
  return all;
}

/** What can hide something. Nothing else is kept: an element may have thousands of others, and there may be as many elements. */
const telling = new Set(
  (
    "display mso-hide opacity max-height overflow height width max-width left top right text-indent margin-left margin-top " +
    "clip clip-path transform font-size font visibility background-color background background-image color"
  ).split(" "),
);

function declarations(body: string): Declarations {
  const found = new Map<string, string>();
  for (const declaration of body.split(";", 200)) {
    const colon = declaration.indexOf(":");
    const property = colon < 0 ? "" : declaration.slice(0, colon).trim().toLowerCase();
    if (!telling.has(property)) continue;
    const value = declaration.slice(colon + 1, colon + 200).toLowerCase();
    found.set(property, value.replace(/!\s*important/, "").trim());
  }
  return found;
}

/** Gone with all that is in it. */
export function isGone(element: HtmlNode, style: Declarations): boolean {
  if (element.attribs?.hidden !== undefined) return true;
  if (element.name === "dialog" && element.attribs?.open === undefined) return true;
  if (style.get("display") === "none" || style.get("mso-hide") === "all") return true;
  if (isNothing(style.get("opacity")) || isNothing(style.get("max-height"))) return true;
  const clipped = /hidden|clip/.test(style.get("overflow") ?? "");
  if (clipped && ["height", "width", "max-width"].some((side) => isNothing(style.get(side))))
    return true;
  const away = ["left", "top", "right", "text-indent", "margin-left", "margin-top"];
  if (away.some((side) => /^-\d{3,}/.test(style.get(side) ?? ""))) return true;
  return (
    /^rect\(\s*0/.test(style.get("clip") ?? "") ||
    /^inset\(\s*(?:50|100)%/.test(style.get("clip-path") ?? "") ||
    /scale\(\s*0\s*\)/.test(style.get("transform") ?? "")
  );
}

function isNothing(value: string | undefined): boolean {
  return value !== undefined && /^\.?0*(?:\.0*)?(?:[a-z]{1,4}|%)?$/.test(value) && /0/.test(value);
}

export function lookOf(style: Declarations, above: Look): Look {
  const background = backgroundOf(style, above.background);
  return {
    size0: sizeOf(style, above.size0),
    invisible: visibilityOf(style.get("visibility"), above.invisible),
    color: colorOf(style.get("color"), above.color, background),
    background,
  };
}

/** A pixel is the usual size of what only a machine shall read. */
function sizeOf(style: Declarations, above: boolean): boolean {
  const size = style.get("font-size") ?? /^0(?=[\s/]|px)/.exec(style.get("font") ?? "")?.[0];
  if (size === undefined || size === "inherit") return above;
  return isNothing(size) || /^(?:1|0?\.\d+)(?:px|pt)$/.test(size);
}

function visibilityOf(value: string | undefined, above: boolean): boolean {
  if (value === undefined || value === "inherit") return above;
  return value === "hidden" || value === "collapse";
}

function backgroundOf(style: Declarations, above: string | null): string | null {
  const value = style.get("background-color") ?? style.get("background");
  if (style.get("background-image")?.includes("url(") || value?.includes("url(")) return null;
  if (value === undefined || /^(?:transparent|none|inherit|initial|unset)/.test(value))
    return above;
  return colorIn(value) ?? null;
}

function colorOf(value: string | undefined, above: string | null, background: string | null) {
  if (value === undefined || value === "inherit") return above;
  if (value === "transparent") return background;
  return colorIn(value) ?? null;
}

const names: Readonly<Record<string, string>> = { white: "255,255,255", black: "0,0,0" };

function colorIn(value: string): string | undefined {
  const hex = /#([\da-f]{6}|[\da-f]{3})\b/.exec(value)?.[1];
  if (hex) {
    const six = hex.length === 3 ? hex.replace(/./g, "$&$&") : hex;
    return [0, 2, 4].map((at) => Number.parseInt(six.slice(at, at + 2), 16)).join(",");
  }
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(value);
  if (rgb) return rgb.slice(1, 4).map(Number).join(",");
  const word = /^[a-z]+/.exec(value)?.[0] ?? "";
  return Object.hasOwn(names, word) ? names[word] : undefined;
}
