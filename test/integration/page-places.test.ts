// Where the focus goes when what had it is gone, what comes by paste and drop, and what scrolling up brings.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { ApprovalRow, Posted } from "../../src/core/page.ts";
import { noChromium, type Opened, phone, screenshot, startBrowser } from "../fakes/browser.ts";
import { type PageDesk, start, startPageDesk } from "../fakes/page-desk.ts";

const skip = noChromium;

const question: ApprovalRow = {
  id: "q1",
  conversation: "c1",
  title: "Run a command",
  body: "```sh\nls\n```",
  kind: "approval",
  options: [
    { key: "allow:0", label: "Allow once" },
    { key: "deny", label: "Deny" },
  ],
  task: "run ls",
  whose: null,
  createdAt: start,
  expiresAt: start + 3_600_000,
};

async function openChat(
  t: TestContext,
  viewport = { width: 1200, height: 800 },
): Promise<Opened & { desk: PageDesk }> {
  const desk = await startPageDesk(t);
  desk.entries = [posted(200, "the newest")];
  const opened = await (await startBrowser(t)).open({ viewport });
  await desk.signIn(opened);
  await opened.page.goto(desk.url);
  await opened.page.getByText("the newest").waitFor();
  return { ...opened, desk };
}

function posted(number: number, text: string): Posted {
  const at = start - 1_000_000 + number;
  return { is: "posted", id: `o${number}`, at, format: "markdown", text, buttons: [] };
}

const focusIs = (page: Page, id: string) =>
  page.waitForFunction((wanted) => document.activeElement?.id === wanted, id);

it("puts the focus on the new heading when a session ends by itself", { skip }, async (t) => {
  const { page, context, desk } = await openChat(t);
  await page.getByLabel("Message", { exact: true }).focus();
  await context.clearCookies();
  desk.emit({ type: "bye", why: "This session is over." });
  await page.getByRole("heading", { name: "You need a link" }).waitFor();
  await page.getByText("This session is over.").waitFor();
  await focusIs(page, "stranger");
  await screenshot(page, "session-over");
});

it("keeps the focus in the panel when the question that had it is answered", {
  skip,
}, async (t) => {
  const { page, desk } = await openChat(t);
  desk.approvals = [question];
  desk.emit({ type: "changed", conversations: [], what: ["approvals"] });
  await page.getByRole("button", { name: "Approvals 1" }).click();
  desk.answer = () => {
    desk.approvals = [];
    return Response.json({ decided: true, text: "Denied." });
  };
  await page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
  await page.getByText("Nothing waits for an answer.").waitFor();
  await focusIs(page, "panel-body");
});

it("moves the focus into the list that covers a phone, and back by Esc", { skip }, async (t) => {
  const { page } = await openChat(t, phone);
  await page.locator("#open-list").focus();
  await page.keyboard.press("Enter");
  await focusIs(page, "close-list");
  await screenshot(page, "phone-list");
  await page.keyboard.press("Escape");
  await focusIs(page, "open-list");
  await page.locator('#open-list[aria-expanded="false"]').waitFor();
});

it("takes a file by paste and by drop, and says how large one may be", { skip }, async (t) => {
  const { page, desk } = await openChat(t);
  const hand = (where: string, kind: "paste" | "drop", size: number) =>
    page.locator(where).evaluate(
      (element, given) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(given.size)], `${given.kind}-${given.size}.txt`));
        const init = { bubbles: true, cancelable: true };
        element.dispatchEvent(
          given.kind === "paste"
            ? new ClipboardEvent("paste", { ...init, clipboardData: data })
            : new DragEvent("drop", { ...init, dataTransfer: data }),
        );
      },
      { kind, size },
    );
  await hand("#message", "paste", 10);
  await hand("#log", "drop", 20);
  for (const name of ["paste-10.txt", "drop-20.txt"])
    await page.locator(".attached li", { hasText: name }).waitFor();
  await hand("#log", "drop", 1001);
  const large = page.locator(".attached li", { hasText: "drop-1001.txt" });
  await large.getByText("larger than 1.0 kB").waitFor();
  await screenshot(page, "file-too-large");
  await page.getByLabel("Message", { exact: true }).fill("with it");
  await page.keyboard.press("Enter");
  await large.getByRole("button", { name: "Remove drop-1001.txt" }).click();
  await large.waitFor({ state: "detached" });
  assert.deepEqual(
    desk.posted.filter(({ path }) => path === "/api/messages"),
    [],
  );
});

it("shows a long command to its end on a phone before it can be allowed", { skip }, async (t) => {
  const { page, desk } = await openChat(t, phone);
  const body = `\`\`\`sh\n${"echo many words && ".repeat(100)}rm -rf ~\n\`\`\``;
  desk.approvals = [{ ...question, body }];
  desk.entries = [{ ...posted(300, body), buttons: [{ label: "Allow once", data: "token-1" }] }];
  await page.reload();
  await page.locator("#o300 pre").waitFor();
  await page.getByRole("button", { name: "Approvals 1" }).click();
  await page.getByRole("dialog").locator("pre").waitFor();
  const hidden = await page
    .locator("pre")
    .evaluateAll((all) =>
      all.map((each) => [
        each.scrollWidth - each.clientWidth,
        each.scrollHeight - each.clientHeight,
      ]),
    );
  assert.deepEqual(hidden, [
    [0, 0],
    [0, 0],
  ]);
  await screenshot(page, "phone-long-command");
});

it("brings earlier messages when one scrolls up, and does not jump", { skip }, async (t) => {
  const { page, desk } = await openChat(t);
  const pages = [101, 1].map((from) =>
    Array.from({ length: 100 }, (_, at) => posted(from + at, `number ${from + at}`)),
  );
  const asked: string[] = [];
  desk.entries = pages[0] ?? [];
  desk.pageBefore = (before) => {
    asked.push(before);
    return pages[1] ?? [];
  };
  await page.reload();
  await page.getByText("number 200", { exact: true }).waitFor();
  const first = page.getByText("number 101", { exact: true });
  await page.locator("#log").hover();
  await page.mouse.wheel(0, -100_000);
  await page.getByText("number 1", { exact: true }).waitFor({ state: "attached" });
  assert.equal(await page.locator("article").count(), 200);
  assert.ok(await first.evaluate((element) => element.getBoundingClientRect().top >= 0));
  assert.deepEqual(asked, [String(pages[0]?.[0]?.at)]);
});
