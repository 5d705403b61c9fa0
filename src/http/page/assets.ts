// Serves the page: one shell for its four paths, and its modules and styles under a name that changes with their content.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PublicRoute } from "../guard/route.ts";

/** Nothing from elsewhere, nothing inline, and no way to make HTML of a text. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** A path of the page may hold a token, so it goes nowhere as a referrer. */
const guards = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const packages = ["preact", "htm", "marked"];
const shellPaths = ["/", "/pair", "/operator", "/hitl/:token"];

interface Asset {
  readonly body: string;
  readonly type: string;
  readonly etag: string;
}

interface Site {
  readonly shell: Asset;
  /** By the whole path. */
  readonly assets: ReadonlyMap<string, Asset>;
}

export function pageRoutes(): PublicRoute[] {
  let site: Promise<Site> | undefined;
  const load = () => {
    site ??= readSite();
    return site;
  };
  const get = (path: string, handle: PublicRoute["handle"]): PublicRoute => ({
    method: "GET",
    path,
    body: "none",
    access: "public",
    handle,
  });
  return [
    ...shellPaths.map((path) =>
      get(path, async (request) => answer(request, (await load()).shell, "no-cache")),
    ),
    get("/assets/*", async (request) => {
      const asset = (await load()).assets.get(new URL(request.url).pathname);
      if (asset) return answer(request, asset, "public, max-age=31536000, immutable");
      return Response.json({ problem: "not found" }, { status: 404, headers: guards });
    }),
  ];
}

function answer(request: Request, { body, type, etag }: Asset, caching: string): Response {
  const headers = { ...guards, etag, "cache-control": caching };
  const known = request.headers.get("if-none-match")?.split(/\s*,\s*/) ?? [];
  if (known.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "content-type": type } });
}

async function readSite(): Promise<Site> {
  const sources = await readSources();
  const digest = hash([...sources].flat().join("\0"));
  const root = `/assets/${digest}/`;
  const assets = new Map<string, Asset>();
  for (const [name, source] of sources) {
    if (name === "index.html") continue;
    const body = name.startsWith("vendor/") ? source : resolveImports(source, root);
    assets.set(root + name, asset(name, body));
  }
  const scripts = [...assets.keys()].filter((path) => path.endsWith(".js"));
  const preloads = scripts.map((path) => `<link rel="modulepreload" href="${path}">`).join("\n");
  const html = (sources.get("index.html") ?? "")
    .replaceAll('"/assets/', `"${root}`)
    .replace("</head>", `${preloads}\n</head>`);
  return { shell: asset("index.html", html), assets };
}

async function readSources(): Promise<Map<string, string>> {
  const folder = import.meta.dirname;
  const names = await readdir(folder, { recursive: true });
  const sources = new Map<string, string>();
  for (const name of names.map((each) => each.replaceAll("\\", "/")).sort()) {
    // Compiled, this very module lies beside the page's own.
    if (extname(name) in types && name !== "assets.js")
      sources.set(name, await readFile(join(folder, name), "utf8"));
  }
  for (const name of packages) {
    const path = fileURLToPath(import.meta.resolve(name));
    const source = await readFile(path, "utf8");
    sources.set(`vendor/${name}.js`, source.replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  }
  return sources;
}

function resolveImports(source: string, root: string): string {
  return source.replace(/\bfrom "([a-z]+)"/g, (whole, name: string) =>
    packages.includes(name) ? `from "${root}vendor/${name}.js"` : whole,
  );
}

function asset(name: string, body: string): Asset {
  return {
    body,
    type: types[extname(name)] ?? "application/octet-stream",
    etag: `"${hash(body)}"`,
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
