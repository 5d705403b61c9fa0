// Random bytes and requests with something wrong: never an error of ours, and the server goes on.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { ask, exchange, written } from "../fakes/http-raw.ts";
import { goodRequest, type HttpRig, httpRig, rigRoutes } from "../fakes/http-rig.ts";

let rig: HttpRig;

before(async () => {
  rig = await httpRig({
    limits: { headersMs: 40, publicBodyMs: 40, bodyMs: 40, fileIdleMs: 40, lookMs: 10 },
  });
});
after(() => rig.stop());

/** Every status in what came back; a body cannot fake one, as handlers here answer in JSON. */
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

async function survives(...pieces: readonly string[]): Promise<void> {
  for (const status of statuses(await exchange(rig.port, ...pieces)))
    assert.ok(status < 500 || status === 503, `${status} to ${JSON.stringify(pieces)}`);
  assert.deepEqual(rig.errors, []);
}

/** On a busy machine even a good request may be too slow for this server. */
const works = async () => {
  const [route] = rigRoutes;
  assert.ok(route);
  for (let tries = 0; tries < 50; tries += 1)
    if ((await ask(rig.port, goodRequest(route, rig))).status === 200) return;
  assert.fail("it works no more");
};

const routes = rigRoutes.filter(({ path }) => path !== "/wait");
const bytes = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const words = fc.constantFrom(
  "Host",
  "Origin",
  "Content-Length",
  "Transfer-Encoding",
  "Content-Type",
  "Cookie",
  "Authorization",
  "Expect",
  "Upgrade",
  "Connection",
  "X-Forwarded-For",
  "Sec-Fetch-Site",
  "Content-Encoding",
  "Trailer",
);
const values = fc.oneof(
  bytes,
  fc.constantFrom(
    "chunked",
    "0",
    "-1",
    "99999999999999999999",
    "1e3",
    "null",
    "gzip, identity",
    "close, upgrade",
    "Bearer ",
    "a=b; ;=;",
    "application/json;",
    "[::1",
    "http://[",
  ),
);

/** A good request with one part replaced, one header more, and cut somewhere. */
const almost = fc.record({
  route: fc.nat({ max: routes.length - 1 }),
  part: fc.constantFrom("method", "target", "body", "none"),
  text: bytes,
  header: fc.option(fc.tuple(words, values)),
  cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});

it("answers junk and almost good requests without an error of its own", async () => {
  const property = fc.asyncProperty(almost, async ({ route, part, text, header, cut }) => {
    const chosen = routes[route];
    assert.ok(chosen);
    const request = goodRequest(chosen, rig);
    if (part === "target") request.target = `/${text}`;
    else if (part !== "none") request[part] = text;
    if (header) request.headers.push(header);
    request.headers.push(["Connection", "close"]);
    const whole = written(request);
    const end = cut === null ? whole.length : Math.floor(cut * whole.length);
    await survives(whole.slice(0, end / 2), whole.slice(end / 2, end));
  });
  await fc.assert(property, { numRuns: 100 });
  await works();
});

it("survives bytes of any kind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), (pieces) => survives(...pieces)),
    { numRuns: 50 },
  );
  await works();
});

it("still works after 1,000 requests of junk, many at a time", async () => {
  const junk = [
    "\0\0\0\0\r\n\r\n",
    "GET\r\n\r\n",
    "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
  ];
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => survives(junk[index % junk.length] ?? "")),
    );
  await works();
});
