// The reference page of HTTP: what the guard refuses, in which order, and every route.
import { beforeRows, bodyRows } from "../src/http/guard/later.ts";
import { usualLimits } from "../src/http/guard/limits.ts";
import type { GuardedRoute } from "../src/http/guard/route.ts";
import { type Refusal, table } from "../src/http/guard/table.ts";

/** Routes in the order of their paths; without any, only the guard is described. */
export function httpPage(routes: readonly GuardedRoute[], generated: string): string {
  const inOrder = table.map((row, index) => `| ${index + 1} | ${row.step} | ${cells(row)} |`);
  return `# HTTP

${generated}

Every request passes this table from top to bottom. The first row that fits answers, with its status and \`{"problem": "…"}\`; only
then is the body read and the route called. \`src/http/guard/table.ts\` is this table as the code runs it, and
\`test/integration/http-guard-table.test.ts\` holds every route against every row and every pair of rows.

| | step | status | refused when | what the caller is told |
|---|---|---|---|---|
${inOrder.join("\n")}

Before there is a request, the parser refuses:

${refusals(Object.values(beforeRows))}

While the body is read:

${refusals(Object.values(bodyRows))}

## Limits

${limits()}
${routes.length === 0 ? "" : routesPart(routes)}`;
}

function refusals(rows: readonly Refusal[]): string {
  const lines = rows.map((row) => `| ${cells(row)} |`);
  return `| status | refused when | what the caller is told |\n|---|---|---|\n${lines.join("\n")}`;
}

function cells({ status, when, say }: Refusal): string {
  return [status, when, say].join(" | ");
}

function limits(): string {
  const of = usualLimits;
  const seconds = (ms: number) => `${ms / 1000} s`;
  const rows = [
    ["request line and headers", `${of.headerBytes} bytes, ${seconds(of.headersMs)} to arrive`],
    ["path and query", `${of.target} characters`],
    ["body on public routes", `${of.publicBytes} bytes, ${seconds(of.publicBodyMs)} to arrive`],
    [
      "JSON on other routes, and what a platform signed",
      `${of.jsonBytes} bytes, ${seconds(of.bodyMs)} to arrive`,
    ],
    [
      "a file",
      `${of.fileBytes} bytes, ${seconds(of.fileIdleMs)} between two pieces, ${seconds(of.requestMs)} in all`,
    ],
    ["open requests", `${of.open}, of which strangers get three quarters`],
    [
      "open requests of a stranger's address",
      `${of.openPerStranger}; an IPv6 network of 64 bits is one address`,
    ],
    [
      "connections",
      `${of.connections}, ${of.connectionsPerAddress} from one address that is no trusted proxy`,
    ],
    [
      "a connection on which nothing moves",
      `${seconds(of.idleMs)}, ${seconds(of.keepAliveMs)} between two requests; a stream of events has no limit`,
    ],
  ];
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return `| what | at most |\n|---|---|\n${lines.join("\n")}`;
}

const who = {
  public: "anyone",
  caller: "a browser session or a caller token",
  operator: "a session from a link made on the gateway's machine",
};
const body = {
  none: "",
  json: "JSON",
  raw: "anything, signed by the platform",
  file: "the bytes of a file",
};

function routesPart(routes: readonly GuardedRoute[]): string {
  const sorted = [...routes].sort((a, b) =>
    `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1,
  );
  const lines = sorted.map(
    (route) =>
      `| ${route.method} | \`${route.path}\` | ${who[route.access]} | ${body[route.body]} |`,
  );
  return `
## Routes

| method | path | who | body |
|---|---|---|---|
${lines.join("\n")}
`;
}
