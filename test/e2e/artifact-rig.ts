// Real Chromium on the real server with the routes of files: for tests of what an artifact can do in its frame.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import type { Visitor } from "../../src/access/visitor.ts";
import type { OutFile } from "../../src/core/channel.ts";
import { mimeOf } from "../../src/core/file-name.ts";
import { createFileRoutes } from "../../src/http/files/routes.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { openServer } from "../../src/http/server.ts";
import { memoryLog } from "../fakes/agent-rig.ts";
import { anyPort } from "../fakes/server-options.ts";

const executablePath = "/usr/bin/chromium";
/** Why these tests cannot run here, or false. */
export const noChromium = existsSync(executablePath) ? false : `there is no ${executablePath}`;

const cookie = "a-session";
const visitor: Visitor = {
  caller: { id: "p:ana", pairing: "ana", role: "owner", name: "ana" },
  by: "session",
  operator: true,
  session: "s",
  expiresAt: Number.MAX_SAFE_INTEGER,
};

export interface ArtifactRig {
  readonly site: string;
  /** How often somebody came with our cookie. */
  readonly visits: () => number;
  /** What was reached of the API. */
  readonly reached: string[];
  readonly context: BrowserContext;
  /** Of the browser, once it is closed. */
  netLog(): Promise<string>;
  /** The path of the page that shows it. */
  add(name: string, content: string | Uint8Array): string;
  open(path: string): Promise<{ page: Page; lines: string[] }>;
}

export async function startArtifactRig(t: TestContext): Promise<ArtifactRig> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-artifacts-"));
  const files = new Map<string, OutFile>();
  const reached: string[] = [];
  const { server, visits } = await serve(files, reached);
  const netLog = join(folder, "net.log");
  const args = ["--no-sandbox", `--log-net-log=${netLog}`];
  // With a profile of its own: without one Chromium looks up no name before it must.
  const profile = join(folder, "profile");
  const context = await chromium.launchPersistentContext(profile, { executablePath, args });
  t.after(async () => {
    await context.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { url: site, cookieName: name } = server;
  const ours = { name, value: cookie, url: site, httpOnly: true, sameSite: "Strict" } as const;
  await context.addCookies([ours]);
  return {
    site,
    visits,
    reached,
    context,
    async netLog() {
      await context.close();
      return readFileSync(netLog, "utf8");
    },
    add(name, content) {
      const part = `o${files.size + 1}`;
      const path = join(folder, part);
      writeFileSync(path, content);
      files.set(part, { path, name, mime: mimeOf(name), size: statSync(path).size });
      return `/view/${part}`;
    },
    async open(path) {
      const page = await context.newPage();
      const lines: string[] = [];
      page.on("console", (message) => lines.push(message.text()));
      await page.goto(site + path);
      return { page, lines };
    },
  };
}

async function serve(files: ReadonlyMap<string, OutFile>, reached: string[]) {
  let visits = 0;
  const ports = {
    forCaller: async (part: string) => files.get(part),
    byToken: async () => undefined,
  };
  const server = await openServer({
    ...anyPort,
    log: memoryLog(),
    routes: [...createFileRoutes(ports), ...apiRoutes(reached)],
    visitors: {
      async byCookie(value) {
        if (value !== cookie) return undefined;
        visits += 1;
        return visitor;
      },
      byToken: async () => undefined,
    },
  });
  return { server, visits: () => visits };
}

/** What a frame would like to reach. */
function apiRoutes(reached: string[]): GuardedRoute[] {
  const handle = async (request: Request) => {
    reached.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json({ secret: "secret" });
  };
  return [
    { method: "GET", path: "/api/secret", access: "caller", body: "none", handle },
    { method: "POST", path: "/api/act", access: "caller", body: "json", handle },
  ];
}
