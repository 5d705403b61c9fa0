// Every view of the page of the real gateway, as axe and people see it, by keyboard, and with a code.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { findings, noChromium, overhang, phone, screenshot } from "../fakes/browser.ts";
import { answers, assertClean, box, say, startPageRig } from "./page-rig.ts";

const skip = noChromium;
const wide = { width: 1200, height: 800 };

const views: Readonly<Record<string, (page: Page, site: string) => Promise<void>>> = {
  chat: async (page) => page.getByRole("button", { name: "Allow once" }).waitFor(),
  approvals: async (page) => {
    await page.getByRole("button", { name: /^Approvals/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow once" }).waitFor();
  },
  tasks: async (page) => {
    await page.getByRole("button", { name: "Tasks" }).click();
    await page.getByRole("dialog").getByText("waiting for an answer").waitFor();
  },
  operator: async (page, site) => {
    await page.goto(`${site}/operator`);
    await page.getByRole("heading", { name: "Listeners" }).waitFor();
  },
  pair: async (page, site) => {
    await page.goto(`${site}/pair`);
    await page.getByLabel("Code").waitFor();
  },
};

it("has views in which axe finds nothing and nothing scrolls sideways", { skip }, async (t) => {
  const rig = await startPageRig(t);
  writeFileSync(join(rig.cli.workspace, "notes.md"), "# Notes\n\nold\n");
  const first = await rig.signedIn();
  await say(first.page, "write notes.md\n# Notes\n\nnew");
  await first.page.getByRole("button", { name: "Allow once" }).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [wide, phone]) {
      await first.page.emulateMedia({ colorScheme });
      await first.page.setViewportSize(viewport);
      for (const [name, show] of Object.entries(views)) {
        await first.page.goto(rig.site);
        await show(first.page, rig.site);
        const where = `${name}-${viewport === phone ? "phone" : "wide"}-${colorScheme}`;
        await screenshot(first.page, where);
        assert.deepEqual(await findings(first.page), [], where);
        assert.equal(await overhang(first.page), 0, where);
      }
    }
  }
  assertClean(first, rig.site);
});

it("can be used by keyboard alone: write, approve, look at the tasks, begin another chat", {
  skip,
}, async (t) => {
  const rig = await startPageRig(t);
  const { page } = await rig.signedIn();
  const { keyboard } = page;
  const reach = async (name: RegExp) => {
    for (let at = 0; at < 40; at += 1) {
      const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
      if (name.test(focused.trim())) return;
      await keyboard.press("Tab");
    }
    assert.fail(`${name} is not reached by Tab`);
  };
  await reach(/^Skip to the messages$/);
  await keyboard.press("Enter");
  await box(page).focus();
  await keyboard.type("run echo by-hand");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.locator("#main").focus();
  await reach(/^Allow once$/);
  await keyboard.press("Enter");
  await answers(page, "Exit code 0").waitFor();
  await page.locator("#main").focus();
  await reach(/^Tasks$/);
  await keyboard.press("Enter");
  await page.getByRole("dialog").getByText("done").waitFor();
  await keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "open-tasks");
  await page.locator(".skip").focus();
  await reach(/^New chat$/);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Hello/ }).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "message");
});

it("shows the operator what happens while it happens", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const chat = await rig.signedIn();
  const operator = await chat.another();
  await operator.page.goto(`${rig.site}/operator`);
  await operator.page.getByRole("status").getByText("live").waitFor();
  await say(chat.page, "run echo watched");
  const question = operator.page.getByRole("listitem").filter({ hasText: "Run a command" });
  await question.getByText("echo watched", { exact: true }).waitFor();
  await question.getByLabel("A reason, if you deny").fill("not now");
  await question.getByRole("button", { name: "Deny" }).click();
  await answers(chat.page, /Denied by .*not now/).waitFor();
  await operator.page.getByText("Nothing waits for an answer.").waitFor();
});

it("makes a browser somebody's by a code, once, and only theirs", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const owner = await rig.signedIn();
  await say(owner.page, "say for the owner alone");
  await answers(owner.page, "for the owner alone").waitFor();
  const invite = ["pair", "invite", "--name", "bob", "--role", "authenticated"];
  const { code } = (await rig.cli.json(invite)) as { code: string };
  const bob = await rig.browser.open();
  const enter = async ({ page }: typeof bob) => {
    await page.goto(`${rig.site}/pair`);
    await page.getByLabel("Code").fill(code.toLowerCase());
    await page.keyboard.press("Enter");
  };
  await enter(bob);
  await box(bob.page).waitFor();
  assert.equal(await bob.page.getByText("for the owner alone").count(), 0);
  assert.equal(await bob.page.getByRole("link", { name: "Operator" }).count(), 0);
  const late = await rig.browser.open();
  await enter(late);
  await late.page.getByText("does not count").waitFor();
  await bob.page.locator("#open-me").click();
  await screenshot(bob.page, "who-am-i");
  await bob.page.getByRole("button", { name: "Sign out" }).click();
  await bob.page.getByRole("heading", { name: "You need a link" }).waitFor();
});
