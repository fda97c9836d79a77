// Every view of the page, in both themes, wide and at 360 pixels: readable for all (WCAG AA,
// checked by axe), and by keyboard alone. By day it is one theme and width: most of what axe finds
// is in the markup, which is the same in all.
//
// With SETT_PICTURES=1 it also writes the pictures of docs/guides/page.md.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import { nightly } from "../support/nightly.ts";
import { accessibilityProblems, TestBrowser } from "../support/page/browser.ts";
import { startSampleScene } from "../support/page/sample-clan.ts";
import { root } from "../support/root.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

type Scene = Awaited<ReturnType<typeof startSampleScene>>;
let folder: string;
let scene: Scene;
let browser: TestBrowser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-page-"));
  [browser, scene] = await Promise.all([TestBrowser.launch(), startSampleScene(folder)]);
});
afterEach(() => browser.closePages());
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  expect(browser.problems).toEqual([]);
});

/** `shows`: waits for what the view shows last. */
type View = { name: string; view: () => string; shows: (page: Page) => Promise<unknown> };

const views: View[] = [
  {
    name: "goals",
    view: () => "#/goals",
    shows: (page) => page.getByRole("link", { name: /Release 1.2.0/ }).waitFor(),
  },
  {
    name: "goal",
    view: () => `#/goals/${scene.goals.release.id}?view=graph`,
    // In a narrow window the cards are too small to be read, and only painted.
    shows: (page) => page.locator('.card-pending, .graph[data-far="true"]').first().waitFor(),
  },
  {
    name: "timeline",
    view: () => `#/goals/${scene.goals.release.id}?view=timeline`,
    shows: (page) => page.getByRole("button", { name: /^packager: exclusive on/ }).waitFor(),
  },
  {
    name: "output",
    view: () => `#/goals/${scene.goals.release.id}?view=timeline&o=${scene.packing}`,
    shows: (page) => page.getByText("packing sett-1.2.0.tgz").waitFor(),
  },
  {
    name: "goal-list",
    view: () => `#/goals/${scene.goals.release.id}?view=list`,
    shows: (page) => page.getByRole("button", { name: /TestReport/ }).waitFor(),
  },
  {
    name: "artefact",
    view: () => `#/goals/${scene.goals.release.id}?a=${scene.goals.release.id}&tab=work`,
    shows: (page) => page.getByText("standard claim").waitFor(),
  },
  {
    name: "diff",
    view: () => `#/goals/${scene.goals.commit.goal_id}?a=${scene.goals.commit.id}&tab=diff`,
    shows: (page) => page.getByRole("region", { name: "src/greet.ts", exact: true }).waitFor(),
  },
  {
    name: "artefact-log",
    view: () => `#/goals/${scene.goals.failed.id}?a=${scene.goals.failed.id}&tab=events`,
    shows: (page) => page.getByText("posts the goal").waitFor(),
  },
  {
    name: "inbox-question",
    view: () => "#/inbox",
    shows: (page) => page.getByRole("button", { name: /Which database/ }).click(),
  },
  {
    name: "inbox",
    view: () => "#/inbox",
    shows: async (page) => {
      await page.getByRole("button", { name: /Greet a person by name/ }).click();
      await page.getByRole("region", { name: "src/greet.ts", exact: true }).waitFor();
    },
  },
  {
    name: "clan",
    view: () => "#/clan",
    shows: async (page) => {
      await page.getByRole("link", { name: "see what it prints" }).waitFor();
      await page.getByRole("region", { name: "Lane main" }).getByText("not begun").waitFor();
      await page
        .getByText(/% *\)|failed/)
        .first()
        .waitFor();
    },
  },
  {
    name: "log",
    view: () => "#/log",
    shows: (page) => page.getByText("works on claim").first().waitFor(),
  },
  {
    name: "new-goal",
    view: () => "#/new",
    shows: (page) => page.getByLabel("What is to be achieved").waitFor(),
  },
  {
    name: "you",
    view: () => "#/you",
    shows: (page) => page.getByText("approve and reject").waitFor(),
  },
];

const sizes = [
  { width: 1_280, height: 800, scheme: "light" },
  { width: 1_280, height: 800, scheme: "dark" },
  { width: 360, height: 740, scheme: "light" },
] as const;

for (const size of sizes) {
  const daily = size.scheme === "light" && size.width > 360 ? test : nightly;
  daily(
    `axe finds nothing in any view, ${size.scheme}, ${size.width} pixels wide, and nothing is wider than the window`,
    async () => {
      const page = await browser.open(scene.page.address("#/goals"), size);
      await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
      const found: string[] = [];
      for (const { name, view, shows } of views) {
        await page.evaluate((hash) => location.assign(hash), view());
        await shows(page);
        for (const problem of await accessibilityProblems(page)) found.push(`${name}: ${problem}`);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > size.width) found.push(`${name}: ${width} pixels wide`);
      }
      expect(found).toEqual([]);
    },
  );
}

nightly(
  "at 360 pixels the log says who did what on which goal, and cuts no sentence of usual length",
  async () => {
    const page = await browser.open(scene.page.address("#/log"), { width: 360, height: 740 });
    await page.getByText("works on claim").first().waitFor();
    const events = await page.locator(".event").evaluateAll((rows) =>
      rows.map((row) => {
        const [who, text] = [
          row.querySelector<HTMLElement>(".event-who"),
          row.querySelector<HTMLElement>(".event-text"),
        ];
        const isCut = (part: HTMLElement | null) =>
          part === null ||
          part.scrollWidth > part.clientWidth ||
          part.scrollHeight > part.clientHeight + 1;
        const said = text?.textContent ?? "";
        const { height, bottom } = row.getBoundingClientRect();
        const overlaps =
          (row.nextElementSibling?.getBoundingClientRect().top ?? bottom) < bottom - 1;
        return { said, height, overlaps, isCut: isCut(who) || (said.length < 85 && isCut(text)) };
      }),
    );
    expect(events.length).toBeGreaterThan(5);
    expect(events.filter(({ isCut, overlaps }) => isCut || overlaps)).toEqual([]);
    await page.locator(".event-goal:visible").first().waitFor();
    // Large enough to be met by a finger, whatever is above and below.
    const heights = await page
      .locator(".event-goal:visible")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
  },
);

nightly(
  "the log says what was posted, leaves out bids that change nothing, and names no id twice",
  async () => {
    const page = await browser.open(scene.page.address(`#/log?goal=${scene.goals.release.id}`));
    await page.getByText(/^posts LicenceReport .*: “12 dependencies, all permissive”$/).waitFor();
    const texts = await page.locator(".event-text").allTextContents();
    const ids = (text: string) => text.match(/\b[0-9a-f]{8}\b/g) ?? [];
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => new Set(ids(text)).size < ids(text).length)).toEqual([]);
    expect(texts.filter((text) => text.includes("closes the bidding"))).toEqual([]);
    await page.getByLabel("Every bid and call").check();
    await page.getByText("closes the bidding").first().waitFor();
    expect(page.url()).toContain("all=1");
    expect(await page.locator("#suggested-agent option").count()).toBe(8);
  },
);

test("at 200 % zoom a goal has room for its artefacts", async () => {
  const address = scene.page.address(`#/goals/${scene.goals.release.id}?view=list`);
  const page = await browser.open(address, { width: 640, height: 360 });
  await page.getByRole("button", { name: /TestReport/ }).waitFor();
  const { height } = (await page.locator(".goal-main").boundingBox()) ?? { height: 0 };
  expect(height).toBeGreaterThan(260);
});

test("at 360 pixels each artefact of a goal says who has made it", async () => {
  const page = await browser.open(scene.page.address(`#/goals/${scene.goals.release.id}`), {
    width: 360,
    height: 740,
  });
  const row = page.getByRole("button", { name: /TestReport/ });
  await row.locator(".row-by").getByText("tester", { exact: true }).waitFor();
  await page.locator(".row-by").getByText("test", { exact: true }).waitFor();
});

nightly("at 360 pixels the names of agents and their bids are not broken", async () => {
  const page = await browser.open(
    scene.page.address(`#/goals/${scene.goals.release.id}?a=${scene.goals.release.id}&tab=work`),
    {
      width: 360,
      height: 740,
    },
  );
  await page.getByText("standard claim").waitFor();
  const heights = await page
    .locator(".bids td")
    .evaluateAll((cells) => cells.map((cell) => cell.clientHeight));
  expect(new Set(heights).size).toBe(1);
});

nightly("each card of a goal says who and what, in letters of 11 pixels or more", async () => {
  const page = await browser.open(
    scene.page.address(`#/goals/${scene.goals.release.id}?view=graph`),
    { width: 1_440, height: 900 },
  );
  await page.locator(".card-pending").waitFor();
  const cards = page.locator(".card");
  await waitFor("all cards in view", async () => (await cards.count()) === 8);
  const shown = await cards.evaluateAll((all) =>
    all.map((card) => {
      // A card shows all of its texts down to a zoom of 0.92.
      const zoom = Math.min(0.92, card.getBoundingClientRect().width / card.clientWidth);
      const texts = [...card.querySelectorAll<HTMLElement>("span, bdi, div")].filter(
        (part) => part.childElementCount === 0 && part.offsetWidth > 0 && part.textContent !== "",
      );
      const sizes = texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * zoom);
      return { says: card.textContent, least: Math.min(...sizes) };
    }),
  );
  expect(shown.filter(({ least }) => least < 11)).toEqual([]);
  const reviews = shown.flatMap(({ says }) => (says?.includes("Review") ? [says] : []));
  expect(reviews.toSorted()).toEqual([
    expect.stringMatching(/^↺Review.*2 problems in CHANGELOG.md.*reviewer[0-9:]*$/),
    expect.stringMatching(/^✓Review.*Approved.*reviewer[0-9:]*$/),
  ]);
});

nightly("axe is at work: it finds what was made wrong on purpose", async () => {
  const page = await browser.open(scene.page.address("#/new"));
  await page.getByLabel("What is to be achieved").waitFor();
  await page.evaluate(() =>
    document.querySelector("main")?.append(document.createElement("input")),
  );
  expect(await accessibilityProblems(page)).toEqual([expect.stringMatching(/^label: <input>/)]);
});

test("by keyboard alone: over the navigation to a goal, through its graph, to an artefact and back", async () => {
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByRole("link", { name: /Release 1.2.0/ }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
    "Skip to the content",
  );
  await page.keyboard.press("Enter");
  await tabTo(page, /Release 1\.2\.0/);
  await page.keyboard.press("Enter");
  const graph = page.getByRole("application");
  await page.locator(".card-pending").first().waitFor();
  await tabTo(page, /Graph of/);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await graph
    .getByRole("status")
    .getByText(/^ChangelogDraft version 1, result, by changelog/)
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: /ChangelogDraft/ }).waitFor();
  await tabTo(page, /^Content$/);
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Bids and work", selected: true }).waitFor();
  await page.getByRole("heading", { name: /^sent back standard claim/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Now" }).waitFor();
});

/** Presses Tab until what has the focus is named like this. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate(
      () =>
        document.activeElement?.getAttribute("aria-label") ??
        document.activeElement?.textContent ??
        "",
    );
    if (name.test(text)) return;
  }
  throw new Error(`Tab does not lead to ${name}.`);
}

test.if(process.env.SETT_PICTURES === "1")("pictures of the views for the guide", async () => {
  const shown = new Set(["goals", "goal", "timeline", "diff", "inbox", "clan", "log", "new-goal"]);
  for (const { name, view, shows } of views.filter((one) => shown.has(one.name)))
    for (const scheme of name === "goal" ? (["light", "dark"] as const) : (["light"] as const)) {
      const page = await browser.open(scene.page.address(view()), {
        width: 1_200,
        height: 720,
        scheme,
      });
      await shows(page);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({
        path: join(root, `docs/pictures/page-${name}${scheme === "dark" ? "-dark" : ""}.png`),
        animations: "disabled",
      });
      await page.context().close();
    }
  const narrow = await browser.open(scene.page.address(`#/goals/${scene.goals.release.id}`), {
    width: 360,
    height: 720,
  });
  await narrow.getByRole("button", { name: /TestReport/ }).waitFor();
  await narrow.screenshot({ path: join(root, "docs/pictures/page-narrow.png") });
});
