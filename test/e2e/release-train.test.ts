// The release train in real containers: phases, rework, workers and the end of a goal, as `npm run
// demo` shows them; and all of it as a person sees it in a browser, on the page of the instance's
// own API.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { appendFile, cp } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Page } from "playwright-core";
import { train } from "../../.ci/demo-repository.ts";
import { TestBrowser } from "../support/page/browser.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const agents = join(root, "agents");
const token = randomBytes(32).toString("hex");
/** The tests of the release go on when the page was looked at. */
const heldTests = "until [ -e /tmp/seen ]; do sleep 0.1; done; ./test.sh";
/** What others do to the machine may make a phase slow. */
const patienceMs = 120_000;

let sett: SettWorkspace;
let browser: TestBrowser;
let port: number;
let page: Page;

beforeAll(async () => {
  [sett, browser] = await Promise.all([SettWorkspace.create(), TestBrowser.launch()]);
  const sample = join(sett.folder, "sample");
  await $`${join(agents, "release-train/make-repository.sh")} ${sample}`.quiet();
  await $`rm -rf .git README.md && mv sample/.git sample/* . && rm -rf sample`.cwd(sett.folder);
  await $`git reset --quiet --hard`.cwd(sett.folder);
  for (const name of train)
    await cp(join(agents, name), join(sett.folder, "agents", name), { recursive: true });
  port = await freePort();
  const settings = join(sett.folder, "agents/release-train/sett.yml");
  await appendFile(
    settings,
    `secrets: { ada: { environment: ADA_TOKEN } }\nservices: { api: { port: ${port}, tokens: [{ name: ada, secret: ada, may: [read] }] } }\n`,
  );
  await sett.commit("Add the release train");
  sett.env = { ADA_TOKEN: token, TEST_COMMAND: heldTests };
  await sett.need("up", "--name", sett.name, "--file", settings);
  page = await openPage("#/goals", { width: 1_500, height: 900 });
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await sett?.[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

/** In a browser of its own, since a tab that is not in front draws little. */
async function openPage(view: string, size: { width: number; height: number }): Promise<Page> {
  const opened = await browser.open(`http://127.0.0.1:${port}/?token=${token}${view}`, size);
  opened.setDefaultTimeout(patienceMs);
  return opened;
}

const version = () => page.locator(".version");
const card = (type: string, number = 1) =>
  page
    .locator(".card[data-id]", { has: page.locator(".card-type", { hasText: type }) })
    .filter(
      number > 1 ? { has: version().filter({ hasText: `v${number}` }) } : { hasNot: version() },
    );
const runsNow = () => page.getByRole("complementary", { name: "Now" }).getByRole("listitem");
/** Opens this artefact and this tab of it. */
async function open(which: ReturnType<typeof card>, tab: string) {
  await which.click();
  await page.getByRole("tab", { name: tab }).click();
  return page.getByRole("tabpanel");
}

test("the page shows a release while it is made: review, rework, work at the same time, and the log of an agent at work", async () => {
  const log = await openPage("#/clan?logs=tester", { width: 1_200, height: 800 });
  const lines = log.getByRole("region", { name: "Log of tester", exact: true });
  await lines.getByText("Cub started").waitFor();
  expect(await lines.getByText("Executing tool").count()).toBe(0);

  const foraged = sett.sett("forage", "--watch", "--goal", "Release 1.2.0");
  await page.getByRole("link", { name: /Release 1\.2\.0/ }).click();
  await card("CodeCommit").waitFor();
  await card("CodeCommit", 2).waitFor();
  // Two of the three that work at the same time are done. The third one is held, so that the last
  // phase has not begun.
  for (const report of ["LicenceReport", "SecretsReport"]) await card(report).waitFor();
  await runsNow().getByText("parallel on CodeCommit v2").waitFor();
  for (const shown of [runsNow(), page.locator(".card-pending")])
    await waitFor(
      "the tester alone to be at work",
      async () =>
        /^\W*tester/.test((await shown.allTextContents()).join("; ")) &&
        (await shown.count()) === 1,
    );
  await page.locator(".goal-title").getByText("running").waitFor();
  await lines.getByText("Executing tool").waitFor();
  expect(await lines.getByText("Tool execution completed").count()).toBe(0);

  await $`docker exec sett-${sett.name}-agent-tester touch /tmp/seen`.quiet();
  await card("TestReport").waitFor();
  await lines.getByText("Tool execution completed").waitFor();
  await card("Release").waitFor();
  await page.locator(".goal-title").getByText("achieved").waitFor();
  await page.getByText("No agent works on this goal.").waitFor();
  expect(await page.locator(".card[data-id]").count()).toBe(9);
  await waitFor(
    "no grant to be pending",
    async () => (await page.locator(".card-pending").count()) === 0,
  );
  // Heartbeats make no event, and still the agents are seen at rest.
  const idle = log.locator(".agent .state", { hasText: "idle" });
  await waitFor("all agents to be shown at rest", async () => (await idle.count()) === 6);
  expect((await foraged).code).toBe(0);
});

test("afterwards the page has the diff of each commit, the phases, and what each agent saw", async () => {
  const changelog = page.getByRole("region", { name: "CHANGELOG.md", exact: true });
  await open(card("CodeCommit"), "Diff");
  await changelog.locator(".diff-code-insert", { hasText: "1.2.0" }).first().waitFor();
  await open(card("CodeCommit", 2), "Diff");
  // All that a merge brings comes first; what the review had asked for is in what is new since
  // version 1.
  await changelog.locator(".diff-code-insert", { hasText: "1.2.0" }).first().waitFor();
  await page.getByRole("button", { name: "Since version 1" }).click();
  await changelog.locator(".diff-code-delete", { hasText: "fixup!" }).waitFor();

  const grants = (await open(card("CodeCommit", 2), "Bids and work")).locator(".claim .grant");
  await grants.nth(4).waitFor();
  const did = (await grants.allTextContents()).map((text) =>
    /(?:done|approved)([a-z]+)(review|parallel|exclusive)/.exec(text)?.slice(1).join(" "),
  );
  const checks = ["licences parallel", "secrets parallel", "tester parallel"];
  expect(did.toSorted()).toEqual([...checks, "reviewer review", "packager exclusive"].toSorted());
  await (await open(card("Release"), "Context"))
    .getByRole("button", { name: /TestReport/ })
    .waitFor();
});

test("a clan of tools releases a repository: reviewed, mended, checked by three at once, packed", async () => {
  const [goal] = JSON.parse(await sett.need("status", "--json")).goals;
  expect(goal.state).toBe("achieved");
  const made = await sett.artefacts(goal.id);
  expect(made.slice(0, 5).map(({ type, version }) => `${type} ${version}`)).toEqual([
    "GoalDefined 1",
    "CodeCommit 1",
    "Review 1",
    "CodeCommit 2",
    "Review 1",
  ]);
  expect(
    made
      .slice(5, 8)
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(["LicenceReport", "SecretsReport", "TestReport"]);
  expect(made.at(8)).toMatchObject({ type: "Release", structural_type: "Terminal" });
  expect(made).toHaveLength(9);

  const [, first, feedback, second, approval, ...rest] = made;
  expect(JSON.parse(feedback?.payload ?? "").problems.length).toBeGreaterThan(0);
  expect(approval?.payload).toBe("{}");
  // Version 2 of the same thread, from version 1 and its review.
  expect(second).toMatchObject({
    logical_id: first?.logical_id,
    source_artefacts: [first?.id, feedback?.id],
  });
  for (const report of rest.slice(0, 3))
    expect(report.source_artefacts).toEqual(
      [second?.id, approval?.id].filter((id) => id !== undefined),
    );

  const events = await sett.events(goal.id);
  const begun = events.filter(
    ({ type, claim_id }) => type === "grant_started" && claim_id === rest.at(-1)?.claim_id,
  );
  expect(begun.map(({ data }) => data?.phase)).toEqual([
    "review",
    "parallel",
    "parallel",
    "parallel",
    "exclusive",
  ]);
  // The commit is here, and the archive can be made again to the last byte.
  const { archive, commit } = JSON.parse(rest.at(-1)?.payload ?? "");
  expect(commit).toBe(second?.metadata.commit);
  expect(await $`sh -c ${archive.recipe} | sha256sum`.cwd(sett.folder).text()).toStartWith(
    archive.sha256,
  );
});
