// A person's browser: real Chromium, what its pages asked for and complained about, what axe finds, and screenshots.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const executablePath = "/usr/bin/chromium";
/** Why these tests cannot run here, or false: for `skip`. */
export const noChromium = existsSync(executablePath) ? false : `there is no ${executablePath}`;

export const phone = { width: 360, height: 740 };

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Warnings and errors of the console, and exceptions that nobody caught. */
  readonly complaints: string[];
  /** Every address that was asked for. */
  readonly asked: string[];
  /** A second page of the same person. */
  another(): Promise<Opened>;
}

export interface Browser {
  /** Of a person of their own: nothing is shared but the machine. */
  open(options?: BrowserContextOptions): Promise<Opened>;
}

export async function startBrowser(t: TestContext): Promise<Browser> {
  // As root, as in many containers, Chromium's own sandbox cannot start.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args });
  t.after(() => browser.close());
  return {
    async open(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1200, height: 800 },
        ...options,
      });
      context.setDefaultTimeout(10_000);
      return openIn(context);
    },
  };
}

async function openIn(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  return { page, context, complaints, asked, another: () => openIn(context) };
}

const require = createRequire(import.meta.url);

/** What axe finds wrong, a line each. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
  });
}

/** How much wider the page is than the window: it must never scroll sideways. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Kept for people to look at, in the folder that SALLYPORT_SCREENSHOTS names. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SALLYPORT_SCREENSHOTS ?? ".screenshots";
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
