// One question on two surfaces: asked in Telegram, answered on the page, and the other way round.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { noChromium, screenshot } from "../fakes/browser.ts";
import { startTelegramServer } from "../fakes/telegram-server.ts";
import { answers, assertClean, say, startPageRig } from "./page-rig.ts";

const skip = noChromium;
const patience = { timeoutMs: 20_000 };

/** Ana has the page's pairing on Telegram too, if `as` is the name of the owner there. */
async function withTelegram(t: TestContext) {
  const rig = await startPageRig(t);
  const fake = await startTelegramServer();
  t.after(() => fake.close());
  const person = fake.user({ name: "Ana" });
  const chat = fake.privateChat(person);
  const add = ["channel", "add", "telegram", "--api-root", fake.url, "--pace", "off"];
  const added = await rig.cli.run([...add, "--token-file", "-"], fake.token);
  assert.equal(added.code, 0, added.err);
  const { code } = (await rig.cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
  const shown = (pattern: RegExp) =>
    fake.waitFor(
      () => fake.messages(chat.id).findLast(({ text, byBot }) => byBot && pattern.test(text)),
      { ...patience, what: String(pattern) },
    );
  person.sends(chat.id, `join ${code}`);
  await shown(/ana/);
  return { rig, person, chat, shown };
}

it("answers on the page what was asked in Telegram, and both show who did", { skip }, async (t) => {
  const { rig, person, chat, shown } = await withTelegram(t);
  const opened = await rig.signedIn();
  const { page } = opened;
  person.sends(chat.id, "write notes.md\nfrom the train");
  await shown(/Create notes\.md\?/);
  await page.getByRole("link", { name: /write notes\.md/ }).click();
  await answers(page, "Create notes.md?").waitFor();
  await page.getByRole("button", { name: "Answer under Approvals" }).waitFor();
  assert.equal(await answers(page, "Buttons, or").count(), 0);
  await screenshot(page, "telegram-on-the-page");
  await page.getByRole("button", { name: /^Approvals/ }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("from the train").waitFor();
  await panel.getByRole("button", { name: "Allow once" }).click();
  await shown(/Allow once · local/);
  await shown(/Created notes\.md/);
  await page.keyboard.press("Escape");
  await answers(page, "Allow once · local").waitFor();
  await answers(page, "Created notes.md").waitFor();
  assert.ok(existsSync(join(rig.cli.workspace, "notes.md")));
  await screenshot(page, "telegram-answered-on-the-page");
  assertClean(opened, rig.site);
});

it("answers in Telegram what was asked on the page, for one person on both", {
  skip,
}, async (t) => {
  const { rig, person, chat, shown } = await withTelegram(t);
  const { code } = (await rig.cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
  const opened = await rig.browser.open();
  const { page } = opened;
  await page.goto(`${rig.site}/pair`);
  await page.getByRole("textbox").fill(code);
  await page.getByRole("textbox").press("Enter");
  await page.getByLabel("Message", { exact: true }).waitFor();
  await say(page, "write b.md\nfrom the desk");
  await answers(page, "Create b.md?").waitFor();
  person.sends(chat.id, "/approvals");
  const { text } = await shown(/Create b\.md/);
  const number = /allow (\d+)/.exec(text)?.[1];
  assert.ok(number, text);
  person.sends(chat.id, `allow ${number}`);
  await answers(page, "Allow once · ana").waitFor();
  await answers(page, "Created b.md").waitFor();
  assert.ok(existsSync(join(rig.cli.workspace, "b.md")));
});
