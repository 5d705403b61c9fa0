// Hostile pages beside the gateway, and all the ways in which a page can make a browser ask for an address.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";

/** What waits in vain ends all the same. */
const shell = `<!doctype html><title>Neighbour</title><script>
const settled = (start, ms = 700) =>
  Promise.race([new Promise(start), new Promise((resolve) => setTimeout(resolve, ms))]);
</script><body>`;

declare const settled: (start: (done: () => void) => void, ms?: number) => Promise<void>;

/** A page of another port, under both names that browsers have for this machine. */
export async function startNeighbour(t: TestContext): Promise<readonly [string, string]> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(shell);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}

export interface Aim {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string;
}

/** Tries all ways from this page; gives those by which it got to read, or learned, something. */
export async function attack(page: Page, aims: readonly Aim[]): Promise<string[]> {
  const told: string[] = [];
  const ways = [asks, elements, frames, forms, lines, windows];
  for (const aim of aims)
    told.push(...(await Promise.all(ways.map((way) => page.evaluate(way, aim)))).flat());
  return told;
}

/** Each runs in the page, so that it knows nothing from outside of itself. */
type Way = (aim: Aim) => Promise<string[]>;

const asks: Way = async ({ method, url, body }) => {
  const typed = (type: string) => ({ body, headers: { "content-type": type } });
  const kinds: RequestInit[] = [
    { method, mode: "cors" },
    { method, mode: "no-cors" },
    { method: "POST", mode: "no-cors", body },
    { method: "POST", mode: "cors", body },
    { method: "POST", mode: "cors", ...typed("application/json") },
    { method: "POST", mode: "cors", ...typed("application/octet-stream") },
  ];
  const told: string[] = [];
  for (const kind of kinds) {
    const signal = AbortSignal.timeout(700);
    const answer = await fetch(url, { ...kind, credentials: "include", signal }).catch(() => null);
    if (answer && answer.type !== "opaque")
      told.push(`fetch ${kind.method} ${url}: ${answer.status} ${await answer.text()}`);
  }
  navigator.sendBeacon(url, body);
  return told;
};

const elements: Way = async ({ url }) => {
  const told: string[] = [];
  for (const tag of ["img", "script", "link"] as const)
    await settled((done) => {
      const node = document.createElement(tag);
      node.onload = () => {
        told.push(`${tag} ${url}`);
        done();
      };
      node.onerror = () => done();
      const place =
        node instanceof HTMLLinkElement ? { rel: "stylesheet", href: url } : { src: url };
      document.body.append(Object.assign(node, place));
    });
  return told;
};

const frames: Way = async ({ url }) => {
  const frame = document.createElement("iframe");
  await settled((done) => {
    frame.onload = () => done();
    document.body.append(Object.assign(frame, { src: url }));
  });
  const read = frame.contentDocument?.body.textContent;
  const inner = frame.contentWindow?.length;
  frame.remove();
  return read || inner ? [`iframe ${url}: ${read} ${inner}`] : [];
};

const forms: Way = async ({ url, body }) => {
  const told: string[] = [];
  for (const enctype of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ]) {
    const frame = Object.assign(document.createElement("iframe"), { name: `to ${enctype}` });
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: url, enctype, target: frame.name });
    // As text/plain this is the JSON, with a member more.
    const field = { name: `${body.slice(0, -1)},"x":"`, value: '"}' };
    form.append(Object.assign(document.createElement("input"), field));
    document.body.append(frame, form);
    await settled((done) => {
      frame.onload = () => done();
      form.submit();
    });
    const read = frame.contentDocument?.body.textContent;
    if (read) told.push(`form ${url}: ${read}`);
    frame.remove();
  }
  return told;
};

const lines: Way = async ({ url }) => {
  const told: string[] = [];
  await settled((done) => {
    const events = new EventSource(url, { withCredentials: true });
    events.onopen = () => told.push(`EventSource ${url}`);
    events.onerror = () => {
      events.close();
      done();
    };
  });
  await settled((done) => {
    const socket = new WebSocket(url.replace("http", "ws"));
    socket.onopen = () => told.push(`WebSocket ${url}`);
    socket.onclose = () => done();
  });
  return told;
};

const windows: Way = async ({ url }) => {
  const other = window.open(url);
  await settled(() => {}, 250);
  try {
    // Still the empty page that it began as, where the answer was no page.
    const text = other?.document.body.textContent;
    return text ? [`window.open ${url}: ${text}`] : [];
  } catch {
    // Of another origin: it cannot be looked into.
    return [];
  } finally {
    other?.close();
  }
};
