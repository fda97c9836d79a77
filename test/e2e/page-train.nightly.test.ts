// The release train, watched on the page from its goal to its end: real programs, Redis, git and
// commits, as processes of this machine.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { openRepository } from "../../apps/api/repository.ts";
import { findPlace } from "../../apps/cli/instance/place.ts";
import { connect } from "../../apps/cli/instance/session.ts";
import { fakeShell } from "../support/cli/fake-shell.ts";
import { TestBrowser } from "../support/page/browser.ts";
import { ServedPage } from "../support/page/page-scene.ts";
import { root } from "../support/root.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

setDefaultTimeout(300_000);

const agents = join(root, "agents");
const train = ["changelog", "reviewer", "tester", "licences", "secrets", "packager"];

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

test("a release is stated on the page, and its commit, review, rework, reports and end appear as they are made", async () => {
  const settings = (await Bun.file(join(agents, "release-train/sett.yml")).text()).replaceAll(
    "build: ../",
    "build: ./agents/",
  );
  await using sett = await ProcessSett.create(settings);
  await using _repository = await releasable(sett);
  await sett.up();
  const shell = { ...fakeShell(), env: sett.environment, cwd: sett.folder };
  const open = async () => await connect(await findPlace(shell, sett.name));
  await using served = await ServedPage.start(open, {
    repository: await openRepository(sett.folder, sett.environment),
  });

  const page = await browser.open(served.address("#/new"), { width: 1_500, height: 900 });
  await page.getByLabel("What is to be achieved").fill("Release 1.2.0");
  await page.getByRole("button", { name: "State the goal" }).click();
  await page.getByRole("heading", { level: 1, name: "Release 1.2.0" }).waitFor();
  const version = page.locator(".version");
  const card = (type: string, number = 1) =>
    page
      .locator(".card[data-id]", { has: page.locator(".card-type", { hasText: type }) })
      .filter(
        number > 1 ? { has: version.filter({ hasText: `v${number}` }) } : { hasNot: version },
      );

  await card("CodeCommit").waitFor({ timeout: 120_000 });
  await card("CodeCommit", 2).waitFor({ timeout: 120_000 });
  for (const report of ["TestReport", "LicenceReport", "SecretsReport"])
    await card(report).waitFor({ timeout: 120_000 });
  await card("Release").waitFor({ timeout: 120_000 });
  await page.locator(".goal-title").getByText("achieved").waitFor();
  expect(await page.locator(".card[data-id]").count()).toBe(9);
  expect(await page.locator(".card-pending").count()).toBe(0);

  await card("CodeCommit").click();
  await page.getByRole("tab", { name: "Diff" }).click();
  const changelog = page.getByRole("region", { name: "CHANGELOG.md", exact: true });
  await changelog.locator(".diff-code-insert", { hasText: "1.2.0" }).first().waitFor();
  await card("CodeCommit", 2).click();
  await page.getByRole("tab", { name: "Context" }).click();
  await page
    .getByRole("tabpanel")
    .getByRole("button", { name: /Review/ })
    .first()
    .waitFor();
  await page.getByRole("tab", { name: "Bids and work" }).click();
  await page.getByRole("tabpanel").getByText("exclusive").first().waitFor();
  await page.getByRole("checkbox", { name: "Stack versions" }).check();
  await page.locator(".graph[data-items='8']").waitFor();
});

/** The repository of the demo in place of an empty one, with the agents in it. */
async function releasable(sett: ProcessSett): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "sett-train-"));
  await $`${join(agents, "release-train/make-repository.sh")} ${join(folder, "sample")}`.quiet();
  const settings = await Bun.file(join(sett.folder, "sett.yml")).text();
  await rm(sett.folder, { recursive: true });
  await cp(join(folder, "sample"), sett.folder, { recursive: true });
  for (const name of train)
    await cp(join(agents, name), join(sett.folder, "agents", name), { recursive: true });
  await Bun.write(join(sett.folder, "sett.yml"), settings);
  await $`git add -A && git commit --quiet -m ${"Add the release train"}`.cwd(sett.folder);
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
