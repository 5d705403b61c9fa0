// The page's files through the server: what they are, how long they are kept, and what a browser may do with them.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { startPageDesk } from "../fakes/page-desk.ts";

async function shell(t: TestContext) {
  const { url } = await startPageDesk(t);
  const response = await fetch(url);
  return { url, response, html: await response.text() };
}

const paths = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");

it("gives the same shell for every path of the page, and asks to look again each time", async (t) => {
  const { url, response, html } = await shell(t);
  for (const path of ["/pair", "/operator", "/hitl/abc"])
    assert.equal(await (await fetch(url + path)).text(), html);
  assert.equal(response.headers.get("cache-control"), "no-cache");
  const etag = response.headers.get("etag") ?? "";
  const again = await fetch(url, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
  assert.equal((await fetch(url, { headers: { "if-none-match": '"other"' } })).status, 200);
});

it("lets a browser run nothing inline, load nothing from elsewhere, and be framed by nobody", async (t) => {
  const { response, html } = await shell(t);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "trusted-types 'none'",
  ])
    assert.ok(policy.split("; ").includes(rule), rule);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  assert.doesNotMatch(html, /<style|style=|<script(?![^>]* src=)|\son\w+=/);
});

it("serves each file under a name that changes with its content, to be kept for long", async (t) => {
  const { url, html } = await shell(t);
  const files = paths(html);
  assert.ok(files.length > 20);
  for (const path of files) {
    assert.match(path, /^\/assets\/[\w-]{22}\//);
    const file = await fetch(url + path);
    assert.equal(file.status, 200, path);
    assert.match(file.headers.get("cache-control") ?? "", /immutable/);
    const type = { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg/ };
    assert.match(
      file.headers.get("content-type") ?? "",
      type[path.split(".").at(-1) as "js"],
      path,
    );
    // What a module imports is ours, by a path, and is there.
    const source = await file.text();
    if (!path.endsWith(".js")) continue;
    for (const [, name] of source.matchAll(/\bfrom "([^"]+)"/g))
      assert.ok(files.includes(new URL(name ?? "", url + path).pathname), `${path}: ${name}`);
  }
});

it("serves nothing but the page's own files", async (t) => {
  const { url, html } = await shell(t);
  const root = paths(html)[0]?.split("/").slice(0, 3).join("/");
  for (const path of [
    "/assets/",
    "/assets/main.js",
    `${root}/assets.ts`,
    `${root}/assets.js`,
    `${root}/index.html`,
    `${root}/..%2f..%2fserver.ts`,
    `${root}/%2e%2e/wire.ts`,
    `${root}/constructor`,
  ]) {
    const { status } = await fetch(url + path);
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
  }
});
