// In real Chromium: an agent's page, picture or diagram is shown, and reaches neither us nor anybody else.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import {
  hostileArtifact,
  leavingArtifacts,
  nameFor,
  nestingArtifact,
} from "../fakes/hostile-artifact.ts";
import { startRecorder } from "../fakes/recorder.ts";
import { type ArtifactRig, noChromium, startArtifactRig } from "./artifact-rig.ts";

const options = { skip: noChromium };

async function lineOf(page: Page, lines: string[], start: string): Promise<string> {
  const found = () => lines.find((line) => line.startsWith(start));
  while (found() === undefined) await page.waitForEvent("console");
  return found()?.slice(start.length) ?? "";
}

type Make = typeof hostileArtifact;

/** The same page where nothing holds it: when all of this has arrived, so would have what came from the frame before. */
async function unheld(t: TestContext, rig: ArtifactRig, it: { make: Make; wanted: string[] }) {
  const target = await startRecorder(t);
  const { origin: elsewhere, peer } = target;
  const page = it.make({ elsewhere, peer, site: rig.site });
  const host = await startRecorder(t, new Map([["/hostile", page]]));
  const opened = await rig.context.newPage();
  await opened.goto(`${host.origin}/hostile`);
  await target.until(...it.wanted);
  await opened.close();
  return { peer };
}

it("keeps a hostile page from cookies, storage, the API and the network", options, async (t) => {
  const rig = await startArtifactRig(t);
  const recorder = await startRecorder(t);
  const { origin: elsewhere, peer } = recorder;
  const path = rig.add("hostile.html", hostileArtifact({ elsewhere, peer, site: rig.site }));
  const { page, lines } = await rig.open(path);
  const results: Record<string, string> = JSON.parse(await lineOf(page, lines, "tried "));
  const refused = /^(?:Security|Network|Type|Timeout|NotSupported)Error$/;
  const rest = Object.entries(results).filter(([, result]) => !refused.test(result));
  assert.deepEqual(Object.fromEntries(rest), {
    "window.open": "null",
    dialog: "closed",
    webrtc: "tried",
  });
  assert.deepEqual(rig.context.pages().slice(1), [page]);
  assert.equal((await rig.context.cookies()).length, 1);
  const other = await unheld(t, rig, { make: hostileArtifact, wanted: outside });
  assert.deepEqual([recorder.seen, rig.reached, rig.visits()], [[], [], 2]);
  const log = await rig.netLog();
  const looked = (how: "prefetched" | "scripted", by: { peer: string }) =>
    log.includes(nameFor(how, by.peer));
  assert.deepEqual([looked("prefetched", other), looked("scripted", other)], [true, true]);
  assert.deepEqual([looked("prefetched", recorder), looked("scripted", recorder)], [false, false]);
});

const outside = [
  "datagram",
  "/fetch",
  "/xhr",
  "/ws",
  "/events",
  "/beacon",
  "/script",
  "/module",
  "/import.js",
  "/img",
  "/link-css",
  "/import-css",
  "/font",
  "/iframe",
  "/preload",
  "/video",
  "/object",
  "/open",
  "/ping",
];

it("keeps documents that it makes inside of itself as closed", options, async (t) => {
  const rig = await startArtifactRig(t);
  const recorder = await startRecorder(t);
  const { origin: elsewhere, peer } = recorder;
  const path = rig.add("nested.html", nestingArtifact({ elsewhere, peer, site: rig.site }));
  // Chromium ends the whole tab when such a document asks for a data channel.
  await rig.open(path).catch((error: Error) => assert.match(error.message, /Page crashed/));
  await unheld(t, rig, { make: nestingArtifact, wanted: ["datagram", "/nested", "/nested-img"] });
  assert.deepEqual([recorder.seen, rig.reached], [[], []]);
});

it("stays where it is, wherever its page tries to go", options, async (t) => {
  const rig = await startArtifactRig(t);
  const recorder = await startRecorder(t);
  for (const target of [`${recorder.origin}/left`, `${rig.site}/api/secret`]) {
    const paths = leavingArtifacts(target).map((artifact) => rig.add("leaving.html", artifact));
    const opened = await Promise.all(paths.map((path) => rig.open(path)));
    await Promise.all(opened.map(({ page }) => page.close()));
  }
  const left = recorder.seen.length;
  await Promise.all(
    leavingArtifacts("").map(async (_, index) => {
      const way = `/way-${String.fromCharCode(97 + index)}`;
      const page = leavingArtifacts(recorder.origin + way)[index] ?? "";
      const host = await startRecorder(t, new Map([["/page", page]]));
      const opened = await rig.context.newPage();
      await opened.goto(`${host.origin}/page`, { waitUntil: "commit" });
      await recorder.until(way);
    }),
  );
  assert.deepEqual([left, rig.reached], [0, []]);
  assert.equal(rig.visits(), 4 * leavingArtifacts("").length);
});

const chart = `%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%
flowchart LR
  a["<img src=x onerror=console.log('ran')>"] --> b[fine]
  click a call console.log("ran")
`;

it("draws a diagram, and takes nothing in it for a script", options, async (t) => {
  const rig = await startArtifactRig(t);
  const { page, lines } = await rig.open(rig.add("plan.mmd", chart));
  const frame = page.frameLocator("iframe");
  await frame.locator("svg .node").nth(1).waitFor();
  await frame.locator("svg .node").first().click();
  assert.match((await frame.locator("svg").textContent()) ?? "", /fine/);
  assert.equal(await frame.locator("[onerror]").count(), 0);
  const broken = await rig.open(rig.add("broken.mmd", "flowchart LR\n a --> "));
  await broken.page.frameLocator("iframe").getByText("cannot be drawn").waitFor();
  assert.deepEqual(
    lines.filter((line) => /ran|Refused/.test(line)),
    [],
  );
});

it("shows a picture that runs nothing, and a page whose script runs", options, async (t) => {
  const rig = await startArtifactRig(t);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><script>console.log("ran")</script><rect width="90" height="60"/></svg>`;
  const picture = await rig.open(rig.add("a.svg", svg));
  const image = picture.page.frameLocator("iframe").locator("img");
  await image.waitFor();
  assert.equal(await image.evaluate((img) => (img as HTMLImageElement).naturalWidth), 90);
  const html = "<p id=p>before</p><script>p.textContent = 'after'</script>";
  const shown = await rig.open(rig.add('"><b>x.html', html));
  await shown.page.frameLocator("iframe").getByText("after").waitFor();
  assert.equal(await shown.page.locator("h1").textContent(), '"><b>x.html');
  assert.deepEqual(
    picture.lines.filter((line) => line === "ran"),
    [],
  );
});

it("shows nothing of it outside of its page", options, async (t) => {
  const rig = await startArtifactRig(t);
  const path = rig.add("a.html", "<script>console.log('ran')</script>");
  const direct = await rig.context.newPage();
  const answer = await direct.goto(`${rig.site}${path}/frame`);
  assert.equal(answer?.status(), 403);
  const embedding = `<iframe src="${rig.site}${path}/frame"></iframe><iframe src="${rig.site}${path}"></iframe>`;
  const host = await startRecorder(t, new Map([["/page", embedding]]));
  const lines: string[] = [];
  direct.on("console", (message) => lines.push(message.text()));
  await direct.goto(`${host.origin}/page`);
  assert.equal(lines.includes("ran"), false);
  assert.equal(rig.visits(), 1);
});
