// The page around an artifact: its name, a way back, and the frame, which can go nowhere else.
import { createHash } from "node:crypto";
import type { OutFile } from "../../core/channel.ts";
import { visibleLine } from "../../core/visible.ts";
import { escapeHtml } from "./frame.ts";

const style = `
:root { color-scheme: light dark }
html, body { height: 100%; margin: 0 }
body { display: flex; flex-direction: column; font: 1rem/1.5 system-ui, sans-serif }
header { display: flex; gap: 1rem; align-items: baseline; padding: .5rem 1rem; border-bottom: 1px solid #8888 }
h1 { flex: 1; min-width: 0; margin: 0; font-size: 1rem; overflow-wrap: anywhere }
a { color: LinkText }
main { flex: 1; display: flex }
iframe { flex: 1; border: 0 }
`;

export function viewPage(file: OutFile, at: { origin: string; part: string }): Response {
  const name = escapeHtml(visibleLine(file.name));
  const part = encodeURIComponent(at.part);
  const frame = `/view/${part}/frame`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} · Sallyport</title>
<style>${style}</style>
<header>
<a href="/">Back to the chat</a>
<h1>${name}</h1>
<a href="/api/files/${part}">Download</a>
</header>
<main><iframe sandbox="allow-scripts" src="${frame}" title="What the agent made: ${name}"></iframe></main>
</html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    // An IPv6 address cannot be written into a policy.
    "content-security-policy": policy(at.origin.includes("[") ? "'self'" : at.origin + frame),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
  return new Response(html, { headers });
}

/** The frame may show this one address: what runs in it can send itself nowhere. */
function policy(frame: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    `frame-src ${frame}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
