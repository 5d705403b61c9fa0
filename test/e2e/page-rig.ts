// The real gateway with its built-in agent, and people in real browsers before it.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Browser, type Opened, startBrowser } from "../fakes/browser.ts";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";

export interface PageRig {
  readonly cli: CliRig;
  readonly browser: Browser;
  /** Of the page, without a slash at the end. */
  readonly site: string;
  /** A new one, as `sallyport link` prints it. */
  link(): Promise<string>;
  /** The owner, in a browser of their own, with the chat open. */
  signedIn(options?: BrowserContextOptions): Promise<Opened>;
}

export async function startPageRig(t: TestContext): Promise<PageRig> {
  const cli = cliRig(t);
  const { output } = await cli.start(["--port", "0"]);
  const site = /"page":"([^"]+)"/.exec(output())?.[1];
  assert.ok(site, output());
  const browser = await startBrowser(t);
  const link = async () => {
    const { url } = (await cli.json(["link"])) as { url: string };
    return url;
  };
  return {
    cli,
    browser,
    site,
    link,
    async signedIn(options) {
      const opened = await browser.open(options);
      await opened.page.goto(await link());
      await box(opened.page).waitFor();
      return opened;
    },
  };
}

export function box(page: Page) {
  return page.getByLabel("Message", { exact: true });
}

export async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press("Enter");
}

/** What the gateway wrote, whole messages. */
export function answers(page: Page, text: string | RegExp) {
  return page.locator("article.posted", { hasText: text });
}

/** Of our own pages only: nothing else was asked for, and nothing complained. */
export function assertClean({ asked, complaints }: Opened, site: string): void {
  assert.deepEqual(
    asked.filter((url) => new URL(url).origin !== site),
    [],
  );
  assert.deepEqual(complaints, []);
}
