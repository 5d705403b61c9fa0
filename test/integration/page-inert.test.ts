// What an agent, a file name or a sender writes stays text in the page: nothing runs, nothing is asked for elsewhere.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Entry } from "../../src/core/page.ts";
import {
  findings,
  noChromium,
  overhang,
  phone,
  screenshot,
  startBrowser,
} from "../fakes/browser.ts";
import { start, startPageDesk } from "../fakes/page-desk.ts";

const elsewhere = "http://elsewhere.invalid";
const hostile = [
  `<script>globalThis.ran = 1</script><img src="${elsewhere}/i.png" onerror="globalThis.ran = 2">`,
  `<svg onload="globalThis.ran = 3"><style>@import "${elsewhere}/s.css"</style></svg>`,
  `<iframe src="${elsewhere}/f"></iframe><form action="${elsewhere}/p"><button>Send</button></form>`,
  `![dot](${elsewhere}/m.png) ![x](javascript:globalThis.ran=4) [a](javascript:globalThis.ran=5)`,
  `[data](data:text/html,<script>1</script>) <a href="${elsewhere}" onclick="globalThis.ran=6">b</a>`,
  `| <b>t</b> | ![p](${elsewhere}/t.png) |\n|---|---|\n| <img src=${elsewhere}/u> | x |`,
  "```html\n<script>globalThis.ran = 7</script>\n```",
  `<link rel="prefetch" href="${elsewhere}/l"><meta http-equiv="refresh" content="0;url=${elsewhere}">`,
  `${"wide".repeat(300)} \`${"code".repeat(300)}\``,
].join("\n\n");

const entries: Entry[] = [
  {
    is: "said",
    id: "m-hostile1",
    at: start,
    who: "<b>Mallory</b>",
    mine: false,
    text: hostile,
    files: [{ name: `<img src=${elsewhere}/n>.txt`, size: 1 }],
  },
  { is: "posted", id: "o1", at: start + 1, format: "markdown", text: hostile, buttons: [] },
  {
    is: "posted",
    id: "o2",
    at: start + 2,
    format: "plain",
    text: hostile,
    buttons: [{ label: `<img src=${elsewhere}/b>`, data: "x" }],
    file: { name: `<script>${elsewhere}</script>.html`, mime: "text/html", size: 5 },
  },
];

it("keeps hostile text inert, in the chat, in a card and in a panel", {
  skip: noChromium,
}, async (t) => {
  const desk = await startPageDesk(t);
  desk.entries = entries;
  desk.approvals = [
    {
      id: "q1",
      conversation: "c1",
      title: "<img src=x onerror=ran=8>",
      body: hostile,
      kind: "approval",
      options: [{ key: "allow:0", label: "<b>Allow</b>" }],
      task: "<i>task</i>",
      whose: null,
      createdAt: start,
      expiresAt: start + 1000,
    },
  ];
  const browser = await startBrowser(t);
  const opened = await browser.open({ viewport: phone });
  const { page, asked, complaints } = opened;
  await desk.signIn(opened);
  await page.goto(desk.url);
  await page.locator("#o2").waitFor();
  await screenshot(page, "hostile-chat-phone");
  assert.equal(await overhang(page), 0);
  await page.getByRole("button", { name: /Approvals/ }).click();
  await page.getByRole("dialog").getByText("onerror=ran=8").waitFor();
  await screenshot(page, "hostile-approvals-phone");
  assert.equal(await overhang(page), 0);
  assert.deepEqual(await findings(page), []);
  const made = await page
    .locator("#app :is(img, script, style, svg, iframe, link, meta, form[action])")
    .count();
  assert.equal(made, 0);
  assert.equal(await page.evaluate(() => "ran" in globalThis), false);
  const { origin } = new URL(desk.url);
  assert.deepEqual(
    asked.filter((url) => new URL(url).origin !== origin),
    [],
  );
  assert.deepEqual(complaints, []);
  for (const link of await page.locator("#app a[href^=http]").all()) {
    assert.match((await link.getAttribute("href")) ?? "", /^http:\/\/elsewhere\.invalid\//);
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  }
});

it("would complain if anything made HTML of a text", { skip: noChromium }, async (t) => {
  const desk = await startPageDesk(t);
  const { page, complaints } = await (await startBrowser(t)).open();
  await page.goto(`${desk.url}/pair`);
  await page.getByRole("heading").waitFor();
  // The policy also binds scripts of the page itself, so this stands for a mistake in one.
  const outcome = await page.evaluate(() => {
    try {
      document.body.innerHTML = "<b>made</b>";
      return "made";
    } catch (error) {
      return error instanceof TypeError ? "refused" : String(error);
    }
  });
  assert.equal(outcome, "refused");
  assert.ok(
    complaints.some((line) => line.includes("TrustedHTML")),
    complaints.join(),
  );
});
