// A person at the page of the real gateway: coming in, talking, approving, files, and a line that breaks.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { findings, noChromium, overhang, phone, screenshot } from "../fakes/browser.ts";
import { answers, assertClean, box, say, startPageRig } from "./page-rig.ts";

const skip = noChromium;

it("lets a link in once, and leaves its secret in no address", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const link = await rig.link();
  const first = await rig.browser.open();
  await first.page.goto(link);
  await box(first.page).waitFor();
  assert.doesNotMatch(first.page.url(), /link=/);
  await first.page.reload();
  await box(first.page).waitFor();
  assertClean(first, rig.site);
  const second = await rig.browser.open();
  await second.page.goto(link);
  await second.page.getByRole("heading", { name: "You need a link" }).waitFor();
  await second.page.getByText("does not count").waitFor();
  await screenshot(second.page, "link-used");
  assert.deepEqual(await findings(second.page), []);
});

it("asks with a diff, changes the file after a press, and shows who allowed it", {
  skip,
}, async (t) => {
  const rig = await startPageRig(t);
  const file = join(rig.cli.workspace, "notes.md");
  writeFileSync(file, "# Notes\n\nold");
  const opened = await rig.signedIn();
  const { page } = opened;
  await say(page, "write notes.md\n# Notes\n\nnew");
  const card = answers(page, "Change notes.md");
  await card.getByRole("button", { name: "Allow once" }).waitFor();
  assert.deepEqual(
    (await card.locator("del").allTextContents()).map((line) => line.trim()),
    ["-old"],
  );
  assert.deepEqual(
    (await card.locator("ins").allTextContents()).map((line) => line.trim()),
    ["+new"],
  );
  await page.getByRole("button", { name: "Approvals 1" }).waitFor();
  await screenshot(page, "approval-with-diff");
  assert.equal(readFileSync(file, "utf8"), "# Notes\n\nold");
  await card.getByRole("button", { name: "Allow once" }).click();
  await card.getByText(/Allow once · /).waitFor();
  assert.equal(await card.getByRole("button").count(), 0);
  await page.getByRole("button", { name: "Approvals", exact: true }).waitFor();
  await answers(page, "Changed").waitFor();
  assert.equal(readFileSync(file, "utf8"), "# Notes\n\nnew");
  assertClean(opened, rig.site);
});

it("shows an answer while it grows, how long it takes, and stops it", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const { page } = await rig.signedIn();
  await say(page, "run for i in 1 2 3 4 5 6 7 8 9; do echo step $i; sleep 1; done; echo end");
  await page.getByRole("button", { name: "Allow once" }).click();
  const answer = answers(page, "step 2");
  await answer.waitFor();
  assert.doesNotMatch((await answer.textContent()) ?? "", /step 9/);
  await page.locator(".elapsed").waitFor();
  await screenshot(page, "working");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".work-line").waitFor({ state: "detached" });
  await page.locator(".mine", { hasText: "/stop" }).waitFor();
  assert.equal(await answers(page, "step 9").count(), 0);
});

it("takes files by button and gives files back", { skip }, async (t) => {
  const rig = await startPageRig(t);
  writeFileSync(join(rig.cli.workspace, "report.txt"), "the report\n");
  const opened = await rig.signedIn();
  const { page } = opened;
  const bytes = Buffer.from("from my machine\n");
  await page
    .locator("input[type=file]")
    .setInputFiles([{ name: "mine.txt", mimeType: "text/plain", buffer: bytes }]);
  await page.locator(".attached progress").waitFor({ state: "detached" });
  await say(page, "list");
  await page.locator(".mine", { hasText: "mine.txt" }).waitFor();
  await answers(page, "report.txt").first().waitFor();
  await say(page, "send report.txt");
  const link = page.getByRole("link", { name: "report.txt", exact: true });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  assert.equal(readFileSync(await download.path(), "utf8"), "the report\n");
  await screenshot(page, "files");
  assertClean(opened, rig.site);
});

it("misses nothing while the line is down, and two pages agree", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const first = await rig.signedIn();
  const second = await first.another();
  await second.page.goto(rig.site);
  await box(second.page).waitFor();
  await say(first.page, "say before");
  for (const { page } of [first, second]) await answers(page, "before").waitFor();
  await first.context.setOffline(true);
  await first.page.getByText("The connection was lost. Trying again").waitFor();
  await say(first.page, "say written while away");
  await first.page.getByText("Not sent yet").first().waitFor();
  await first.context.setOffline(false);
  for (const { page } of [first, second]) await answers(page, "written while away").waitFor();
  await say(second.page, "say after");
  for (const { page } of [first, second])
    await answers(page, /^.*after$/s)
      .last()
      .waitFor();
  const told = async ({ page }: typeof first) =>
    (await page.locator("article .bubble, article .markdown").allInnerTexts()).map((text) =>
      text.trim(),
    );
  const expected = [
    "say before",
    "before",
    "say written while away",
    "written while away",
    "say after",
    "after",
  ];
  assert.deepEqual(await told(first), expected);
  assert.deepEqual(await told(second), expected);
});

it("fits a phone, and shows what an agent says as text that does nothing", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const opened = await rig.signedIn({ viewport: phone, colorScheme: "dark" });
  const { page } = opened;
  const hostile =
    '<img src="http://elsewhere.invalid/x" onerror="globalThis.ran=1"> ![p](http://elsewhere.invalid/p) [a](javascript:globalThis.ran=2)';
  await say(page, `say ${hostile} ${"long".repeat(200)}`);
  await answers(page, "elsewhere.invalid").waitFor();
  assert.equal(await overhang(page), 0);
  assert.equal(await page.evaluate(() => "ran" in globalThis), false);
  assert.deepEqual(await findings(page), []);
  await screenshot(page, "phone-dark");
  assertClean(opened, rig.site);
});
