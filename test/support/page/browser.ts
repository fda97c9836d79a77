// Debian's Chromium, with what a page must not do noted: errors, requests elsewhere, breaches of
// its policy.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { root } from "../root.ts";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export type View = {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  permissions?: string[];
  /** In general nothing moves: what moves for ever is drawn for ever, by a processor. */
  moves?: boolean;
};

export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  /** The things that no page may do; a test ends with none. */
  readonly problems: string[] = [];
  /** Other servers that a test has led it to. */
  readonly #origins = new Set<string>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    const executablePath = programs.find((path) => existsSync(path));
    if (executablePath === undefined)
      throw new Error("Chromium is not installed: node .ci/setup.mjs --tests");
    // Root has no sandbox in Chromium; and in a container there is little shared memory.
    const args = [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A browser of its own to the page: no cookies of others. Closes with the browser. */
  async open(
    address: string,
    { width = 1_280, height = 800, scheme = "light", permissions = [], moves = false }: View = {},
  ): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: moves ? "no-preference" : "reduce",
      permissions,
    });
    context.setDefaultTimeout(100_000);
    const page = await context.newPage();
    this.#watch(page, context, new URL(address).origin);
    tellWhatIsSeen(page);
    await goto(page, address);
    return page;
  }

  /** A page of another server in the same browser, which has what that browser keeps. */
  async follow(context: BrowserContext, address: string): Promise<Page> {
    this.#origins.add(new URL(address).origin);
    const page = await context.newPage();
    await goto(page, address);
    return page;
  }

  /** A page whose server has gone asks for it again and again. */
  async closePages(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
  }

  #watch(page: Page, context: BrowserContext, origin: string): void {
    page.on("pageerror", (error) => this.problems.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => this.problems.push(`dialog: ${dialog.message()}`));
    context.on("request", (request) => {
      const { origin: asked } = new URL(request.url());
      if (asked !== origin && !this.#origins.has(asked))
        this.problems.push(`request to ${request.url()}`);
    });
    page.on("console", (message) => {
      if (/Content Security Policy|Minified React error/.test(message.text()))
        this.problems.push(message.text());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/**
 * Chromium breaks what it loads when an interface comes or goes, and each container of another test
 * brings one.
 */
async function goto(page: Page, address: string): Promise<void> {
  await page.goto(address).catch(async (error: Error) => {
    if (!error.message.includes("ERR_NETWORK_CHANGED")) throw error;
    await page.goto(address);
  });
}

/**
 * What is waited for in vain names what is on the page instead, and which requests the server
 * refused.
 */
function tellWhatIsSeen(page: Page): void {
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  page.on("requestfailed", (request) =>
    refused.push(`${request.failure()?.errorText} ${request.url()}`),
  );
  const locate = page.locator("html");
  const prototype = Object.getPrototypeOf(locate) as Locator & { waitsWithWords?: true };
  seen.set(page, refused);
  if (prototype.waitsWithWords) return;
  prototype.waitsWithWords = true;
  const { waitFor } = prototype;
  prototype.waitFor = async function (this: Locator, ...options) {
    await waitFor.apply(this, options).catch(async (error: Error) => {
      const page = this.page();
      const text = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
      const lines = [
        `At ${page.url()} there was:`,
        text.slice(0, 4_000),
        ...(seen.get(page) ?? []),
      ];
      error.message += `\n${lines.join("\n")}`;
      throw error;
    });
  };
}

const seen = new WeakMap<Page, string[]>();

let axeSource: string | undefined;

/** Lists what axe finds against WCAG 2.2 A and AA, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  axeSource ??= await readFile(`${root}/node_modules/axe-core/axe.min.js`, "utf8");
  // The script goes in by the debugger's way: the page's policy allows no script of others.
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    type Finding = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> };
    };
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
  });
}
