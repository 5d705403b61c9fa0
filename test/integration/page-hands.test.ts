// The page in hands: what is typed is sent once and in order whatever the line does, and all of it works by keyboard.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Posted, Said } from "../../src/core/page.ts";
import { findings, noChromium, type Opened, screenshot, startBrowser } from "../fakes/browser.ts";
import { type PageDesk, start, startPageDesk } from "../fakes/page-desk.ts";

const skip = noChromium;

const card: Posted = {
  is: "posted",
  id: "o1",
  at: start,
  format: "markdown",
  text: "**Change notes.md?** (1)\n\n```diff\n@@ -1,1 +1,1 @@\n-old\n+new\n```",
  buttons: [
    { label: "Allow once", data: "token-1" },
    { label: "Deny", data: "token-2" },
  ],
  question: "q1",
};

async function openChat(t: TestContext): Promise<Opened & { desk: PageDesk }> {
  const desk = await startPageDesk(t);
  desk.entries = [card];
  const opened = await (await startBrowser(t)).open();
  await desk.signIn(opened);
  await opened.page.goto(desk.url);
  await opened.page.locator("#o1").waitFor();
  return { ...opened, desk };
}

/** What the gateway says once it has a message. */
function saidOf(body: unknown): Said {
  const { id, text } = body as { id: string; text: string };
  return { is: "said", id: `m-${id}`, at: Date.now(), who: "Ana", mine: true, text, files: [] };
}

const bodies = ({ posted }: PageDesk, path = "/api/messages") =>
  posted.filter((each) => each.path === path).map(({ body }) => body as Record<string, unknown>);

it("sends with Enter, begins a line with Shift+Enter, and shows the message once", {
  skip,
}, async (t) => {
  const { page, desk } = await openChat(t);
  const box = page.getByLabel("Message", { exact: true });
  await box.focus();
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  const mine = page.locator(".mine", { hasText: "two" });
  await mine.getByText("Sent", { exact: true }).waitFor();
  desk.emit({ type: "said", chat: "ana", entry: saidOf(bodies(desk)[0]) });
  await mine.getByText("Sent", { exact: true }).waitFor({ state: "detached" });
  assert.equal(await mine.count(), 1);
  assert.equal(bodies(desk)[0]?.text, "one\ntwo");
  assert.equal(await box.inputValue(), "");
  assert.equal(await box.evaluate((element) => element === document.activeElement), true);
});

it("keeps what was not sent, over a reload as well, and sends it once, in order, with one id", {
  skip,
}, async (t) => {
  const { page, context, desk } = await openChat(t);
  await context.setOffline(true);
  await page.getByText("The connection was lost. Trying again").waitFor();
  for (const text of ["first", "second"]) {
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  }
  await page.getByText("Not sent yet").first().waitFor();
  await screenshot(page, "not-sent-yet");
  assert.deepEqual(bodies(desk), []);
  // Taken, and the answer lost: the same id must come again, also from the page that was loaded anew.
  let lose = true;
  desk.answer = () => (lose ? new Response("{}", { status: 502 }) : undefined);
  await context.setOffline(false);
  await page.waitForResponse((response) => response.status() === 502);
  await page.reload();
  lose = false;
  await page.locator(".mine", { hasText: "second" }).getByText("Sent", { exact: true }).waitFor();
  const taken = bodies(desk);
  assert.deepEqual([...new Set(taken.map(({ text }) => text))], ["first", "second"]);
  assert.equal(new Set(taken.map(({ id }) => id)).size, 2);
  assert.ok(taken.length > 2);
});

it("gives a message that is refused back to be changed", { skip }, async (t) => {
  const { page, desk } = await openChat(t);
  desk.answer = () => Response.json({ problem: "Too long." }, { status: 400 });
  await page.getByLabel("Message", { exact: true }).fill("too long");
  await page.keyboard.press("Enter");
  await page.getByText("Not taken: Too long.").waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await page.getByLabel("Message", { exact: true }).inputValue(), "too long");
  assert.equal(await page.locator(".refused").count(), 0);
});

it("presses a button once, says so, and keeps the focus at the card when its buttons go", {
  skip,
}, async (t) => {
  const { page, desk } = await openChat(t);
  await page.getByRole("button", { name: "Allow once" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("waiting for the answer").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(
    await page.getByRole("button", { name: "Deny" }).getAttribute("aria-disabled"),
    "true",
  );
  const [press, ...others] = bodies(desk, "/api/presses");
  assert.deepEqual(others, []);
  assert.deepEqual({ ...press, id: "" }, { id: "", chat: "ana", message: "o1", data: "token-1" });
  const decided = { ...card, text: "**Change notes.md?**\n\nAllow once · Ana", buttons: [] };
  desk.emit({ type: "notice", press: String(press?.id), text: "Allowed" });
  desk.emit({ type: "edited", chat: "ana", entry: decided });
  await page.getByText("Allow once · Ana").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "o1");
});

it("opens a panel by keyboard, closes it by Esc, and is back where it was", { skip }, async (t) => {
  const { page } = await openChat(t);
  const button = page.getByRole("button", { name: "Tasks" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("No tasks yet.").waitFor();
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await button.evaluate((element) => element === document.activeElement), true);
});

it("follows again after the stream ends, and misses nothing of meanwhile", { skip }, async (t) => {
  const { page, desk } = await openChat(t);
  desk.emit({
    type: "posted",
    chat: "ana",
    entry: { ...card, id: "o2", text: "before", buttons: [] },
  });
  await page.getByText("before").waitFor();
  desk.drop();
  desk.emit({
    type: "posted",
    chat: "ana",
    entry: { ...card, id: "o3", text: "between", buttons: [] },
  });
  await page.getByText("between").waitFor();
  await page.getByText("The connection was lost. Trying again").waitFor({ state: "detached" });
  assert.equal(await page.locator("article").count(), 3);
});

it("shows a visitor without a session only how to get a link", { skip }, async (t) => {
  const desk = await startPageDesk(t);
  const { page, asked } = await (await startBrowser(t)).open();
  await page.goto(desk.url);
  await page.getByRole("heading", { name: "You need a link" }).waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
  assert.deepEqual(await findings(page), []);
  const paths = asked.map((url) => new URL(url).pathname);
  assert.deepEqual(
    paths.filter((path) => path.startsWith("/api/")),
    ["/api/me"],
  );
});

it("asks behind a link without a session, and says what came of the answer", {
  skip,
}, async (t) => {
  const desk = await startPageDesk(t);
  desk.hitl = {
    title: "Change notes.md",
    body: card.text,
    kind: "approval",
    options: [
      { key: "allow:0", label: "Allow once" },
      { key: "deny", label: "Deny" },
    ],
    state: "pending",
    outcome: "",
    who: "Ana",
  };
  const { page, asked } = await (await startBrowser(t)).open();
  await page.goto(`${desk.url}/hitl/a-token`);
  await page.getByRole("heading", { name: "Change notes.md" }).waitFor();
  assert.deepEqual(await findings(page), []);
  await screenshot(page, "question-by-link");
  desk.hitl = { ...desk.hitl, state: "answered", outcome: "⛔ Denied by Ana: not today" };
  await page.getByLabel("A reason, if you deny").fill("not today");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Denied by Ana: not today").waitFor();
  assert.deepEqual(bodies(desk, "/hitl/a-token"), [{ option: "deny", reason: "not today" }]);
  assert.equal(await page.getByRole("button").count(), 0);
  assert.equal(asked.filter((url) => url.endsWith("/api/me")).length, 0);
  await page.goto(`${desk.url}/hitl/another`);
  await page.getByRole("heading", { name: "This link opens nothing" }).waitFor();
});
