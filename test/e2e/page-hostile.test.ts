// Pages of other ports and names, in the browser in which the owner is signed in, try every route: nothing changes, and nothing is read.
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { allRoutes } from "../../scripts/http-routes.ts";
import { noChromium } from "../fakes/browser.ts";
import { type Aim, attack, startNeighbour } from "./page-hostile-rig.ts";
import { answers, type PageRig, say, startPageRig } from "./page-rig.ts";

const skip = noChromium;

interface Prey {
  readonly chat: string;
  readonly approval: string;
  readonly option: string;
  readonly task: string;
  readonly conversation: string;
  readonly file: string;
  readonly press: { readonly message: string; readonly data: string };
}

/** What is worth a try: a file that went out, and a question that waits. All its names are known to the attacker. */
async function setOut({ cli, site }: PageRig, page: Page): Promise<Prey> {
  writeFileSync(join(cli.workspace, "plan.html"), "<p>plan</p>");
  await say(page, "send plan.html");
  const link = page.getByRole("link", { name: "plan.html", exact: true });
  await link.first().waitFor();
  const file = /o\d+/.exec((await link.first().getAttribute("href")) ?? "")?.[0] ?? "";
  await say(page, "write new.md\nnew");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  const seen = await page.evaluate(async (root) => {
    const get = async (path: string) => (await fetch(root + path)).json();
    const { chat } = await get("/api/me");
    const [approvals, tasks, history] = await Promise.all(
      ["/api/approvals", "/api/tasks", `/api/chats/${chat}`].map(get),
    );
    return { chat, approval: approvals.approvals[0], task: tasks.tasks[0], history };
  }, site);
  const { chat, approval, task, history } = seen;
  const card = history.entries.find((one: { buttons?: unknown[] }) => one.buttons?.length);
  return {
    chat,
    file,
    approval: approval.id,
    option: approval.options[0].key,
    task: task.id,
    conversation: approval.conversation,
    press: { message: card.id, data: card.buttons[0].data },
  };
}

function aimsAt(root: string, prey: Prey, code: string): Aim[] {
  const bodies: Readonly<Record<string, unknown>> = {
    "/api/approvals/:id": { option: prey.option },
    "/hitl/:token": { option: prey.option },
    "/api/messages": { id: "hostile-message", chat: prey.chat, text: "say hostile" },
    "/api/presses": { id: "hostile-press", chat: prey.chat, ...prey.press },
    "/pair": { code },
    "/sign-in": { code },
  };
  return allRoutes().map(({ method, path }) => {
    const id = path.startsWith("/api/tasks")
      ? prey.task
      : path.startsWith("/api/approvals")
        ? prey.approval
        : path.startsWith("/api/conversations")
          ? prey.conversation
          : prey.file;
    const target = path
      .replace(":id", id)
      .replace(":chat", prey.chat)
      .replace(":token", `${"c".repeat(20)}.${"m".repeat(43)}`)
      .replace("*", "icon.svg");
    return { method, url: root + target, body: JSON.stringify(bodies[path] ?? { any: "thing" }) };
  });
}

/** All that could have changed, without what time alone changes. */
async function stateOf({ cli }: PageRig, page: Page): Promise<unknown> {
  const { listeners, audit, ...rest } = await page.evaluate(async () =>
    (await fetch("/api/operator")).json(),
  );
  // A window that is opened at a wrong link is a person who followed one.
  const rows = audit.filter(({ place }: { place: string }) => place !== "hitl");
  const up = join(cli.state, "uploads");
  return {
    ...rest,
    audit: rows,
    uploads: existsSync(up) ? readdirSync(up, { recursive: true }) : [],
  };
}

it("lets no page of another port or name change or read anything", { skip }, async (t) => {
  const rig = await startPageRig(t);
  const { page, context } = await rig.signedIn();
  const prey = await setOut(rig, page);
  const { code } = (await rig.cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
  const before = await stateOf(rig, page);
  const bad: string[] = [];
  const tried = new Set<string>();
  context.on("response", (response) => {
    const request = response.request();
    if (!request.url().startsWith(rig.site)) return;
    const { pathname } = new URL(request.url());
    tried.add(`${request.method()} ${pathname}`);
    if (response.status() >= 500) bad.push(`${response.status()} ${request.method()} ${pathname}`);
  });
  const aims = aimsAt(rig.site, prey, code);
  const told: string[] = [];
  for (const origin of await startNeighbour(t)) {
    const hostile = await context.newPage();
    await hostile.goto(origin);
    told.push(...(await attack(hostile, aims)));
    await hostile.close();
  }
  assert.deepEqual(told, []);
  assert.deepEqual(bad, []);
  const { pathname: sample } = new URL(aims[1]?.url ?? "");
  assert.ok([...tried].some((one) => one.endsWith(sample)));
  assert.deepEqual(await stateOf(rig, page), before);
  assert.equal(existsSync(join(rig.cli.workspace, "new.md")), false);
  assert.equal(await answers(page, "hostile").count(), 0);
  // The person goes on as if nothing had been.
  await page.getByRole("button", { name: "Allow once" }).click();
  await answers(page, "Created").or(answers(page, "Changed")).first().waitFor();
  const other = await rig.browser.open();
  await other.page.goto(`${rig.site}/pair`);
  const signed = await other.page.evaluate(
    async (given) =>
      (
        await fetch("/sign-in", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ code: given }),
        })
      ).status,
    code,
  );
  assert.equal(signed, 200, "no wrong guess was counted against the person's own address");
});
