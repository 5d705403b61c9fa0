// What is inside the frame: an agent's HTML, SVG or diagram, as a document that can reach nothing and nobody.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ArtifactKind } from "../../core/artifact.ts";

/** Nothing is loaded, nothing is sent, and no other site may put it into a frame. */
const closed = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-src 'none'",
  "worker-src 'none'",
  "object-src 'none'",
  "frame-ancestors 'self'",
  "webrtc 'block'",
];

export interface Frame {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Loads the renderer of diagrams with the first of them. */
export function createFrames(): (kind: ArtifactKind, content: Buffer) => Promise<Frame> {
  let renderer: Promise<string> | undefined;
  return async (kind, content) => {
    if (kind === "html") return frame(new Uint8Array(content), "'unsafe-inline'");
    if (kind === "svg") return frame(picture(content), "'none'");
    renderer ??= readRenderer();
    const scripts = [await renderer, drawing];
    const hashes = scripts.map((script) => `'sha256-${sha256(script)}'`).join(" ");
    return frame(diagram(content.toString("utf8"), scripts), hashes);
  };
}

function frame(body: Frame["body"], scripts: string): Frame {
  return {
    body,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [...closed, `script-src ${scripts}`].join("; "),
      // What a Content-Security-Policy does not cover, WebRTC above all; so far only Chromium knows it.
      "connection-allowlist": "()",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), display-capture=()",
      "x-dns-prefetch-control": "off",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-store",
      "cross-origin-resource-policy": "same-origin",
    },
  };
}

const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Artifact</title>
<style>
:root { color-scheme: light dark }
body { margin: 1rem; font: 1rem/1.5 system-ui, sans-serif }
img, svg { max-width: 100%; height: auto }
</style>`;

/** As an image it runs no script and loads nothing. */
function picture(content: Buffer): string {
  return `${head}<img alt="The picture that the agent made" src="data:image/svg+xml;base64,${content.toString("base64")}">`;
}

/** Its text is put into the page as text; the renderer is the only one who reads it. */
function diagram(source: string, scripts: readonly string[]): string {
  const tags = scripts.map((script) => `<script>${script}</script>`).join("");
  return `${head}<pre id="source">${escapeHtml(source)}</pre><main id="shown"></main>${tags}`;
}

const drawing = `
const source = document.getElementById("source");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
mermaid.initialize({
  startOnLoad: false,
  securityLevel: "strict",
  theme: dark ? "dark" : "default",
  maxTextSize: 200000,
});
mermaid.render("diagram", source.textContent).then(
  ({ svg }) => {
    document.getElementById("shown").innerHTML = svg;
    source.remove();
  },
  (error) => {
    document.getElementById("ddiagram")?.remove();
    document.getElementById("shown").textContent = "This diagram cannot be drawn: " + error.message;
  },
);
`;

async function readRenderer(): Promise<string> {
  const path = fileURLToPath(import.meta.resolve("@mermaid-js/tiny"));
  // Inside a script element these would begin or end something else.
  return (await readFile(path, "utf8")).replace(/<(?=!--|\/?script)/gi, "\\x3C");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  return text.replace(/[&<>"]/g, (found) => `&${names[found]};`);
}
