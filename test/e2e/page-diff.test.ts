// The diff of a commit in Chromium, where a person approves by it: what has no lines is in words,
// and a huge file costs no more than a page.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import type { Page } from "playwright-core";
import { openRepository } from "../../apps/api/repository.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { CommitHash } from "../../lib/model/ids.ts";
import { nightly } from "../support/nightly.ts";
import { TestBrowser } from "../support/page/browser.ts";
import { startPageScene } from "../support/page/page-scene.ts";
import { newArtefactId, sampleArtefact } from "../support/records/sample.ts";

setDefaultTimeout(300_000);

const lines = 60_000;
/**
 * The number of elements of the whole page; the parts of it that are there before are some
 * hundreds.
 */
const maxElements = 6_000;

let folder: string;
let browser: TestBrowser;
let scene: Awaited<ReturnType<typeof startPageScene>>;
let commit: Artefact;
let corrected: Artefact;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-diff-"));
  const { base, head, fixed } = await makeCommits();
  const reviewer = {
    maintainer: { human: true as const, bids: [{ on: "CodeCommit", bid: "review" as const }] },
  };
  scene = await startPageScene(
    reviewer,
    {},
    { repository: await openRepository(folder, process.env) },
  );
  const goal = await scene.clan.postGoal("Change", { type: "Change", metadata: { commit: base } });
  commit = sampleArtefact({
    ...{
      id: newArtefactId(),
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
      type: "CodeCommit",
      payload: head,
    },
    ...{
      produced_by_role: "coder",
      produced_by_agent: "coder",
      metadata: { summary: "Much at once", commit: head },
    },
  });
  await scene.clan.board.createArtefact(commit, "person:test");
  corrected = sampleArtefact({
    ...{
      id: newArtefactId(),
      logical_id: commit.logical_id,
      version: 2,
      goal_id: goal.goal_id,
      source_artefacts: [commit.id],
    },
    ...{
      type: "CodeCommit",
      payload: fixed,
      produced_by_role: "coder",
      produced_by_agent: "coder",
    },
    metadata: { summary: "Corrected", commit: fixed },
  });
  // A person's version would end what the version before waits for.
  await scene.clan.board.createArtefact(corrected, "agent:coder");
  browser = await TestBrowser.launch();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  expect(browser.problems).toEqual([]);
});

async function makeCommits() {
  const write = (path: string, content: string) => writeFile(join(folder, path), content);
  const commitAll = async () => {
    await $`git add -A && git commit --quiet -m Change`.cwd(folder);
    return CommitHash.parse((await $`git rev-parse HEAD`.cwd(folder).text()).trim());
  };
  await $`git init --quiet && git config user.name Ada && git config user.email ada@sett.invalid`.cwd(
    folder,
  );
  await Promise.all([
    write("logo.bin", "a\0b"),
    write("gone.bin", "\0x"),
    write("tool.sh", "echo\n"),
  ]);
  const base = await commitAll();
  await Promise.all([
    write("logo.bin", "a\0cd"),
    write("new.bin", "\0"),
    write("empty.txt", ""),
    write('quo"te.txt', "1\n"),
  ]);
  await write(
    "huge.ts",
    Array.from({ length: lines }, (_, at) => `export const value${at} = "${at}";\n`).join(""),
  );
  await write("wide.txt", `${"x".repeat(2_500)}the end\n`);
  await Promise.all([rm(join(folder, "gone.bin")), chmod(join(folder, "tool.sh"), 0o755)]);
  await symlink("/nowhere/shadow", join(folder, "link"));
  const head = await commitAll();
  await write("empty.txt", "no longer\n");
  return { base, head, fixed: await commitAll() };
}

const inGoal = [{ where: "of a commit", open: (): Promise<Page> => browser.open(goalAddress()) }];
const inInbox = [
  {
    where: "in the inbox",
    open: async () => {
      const page = await browser.open(scene.page.address("#/inbox"));
      await page.getByRole("button", { name: /Much at once/ }).click();
      return page;
    },
  },
];
const ways = [...inGoal, ...inInbox];

test("a corrected result is shown with all that it changes first, then only since the version before, and warnings are seen at once", async () => {
  const page = await browser.open(
    scene.page.address(`#/goals/${corrected.goal_id}?a=${corrected.id}&tab=diff`),
  );
  const file = (name: string) => page.getByRole("region", { name, exact: true });
  await file("logo.bin").waitFor();
  await file("empty.txt").waitFor();
  await page
    .getByText("2 commits name another author or committer than the agent that published it.")
    .waitFor();
  await page.getByRole("button", { name: "Since version 1" }).click();
  await file("empty.txt").waitFor();
  await file("logo.bin").waitFor({ state: "detached" });
  await page.getByText("Only the changes since version 1").waitFor();
  await page.getByRole("button", { name: "Since your last verdict" }).click();
  await page.getByText("You have approved or rejected no earlier version of it.").waitFor();
  await page.getByRole("button", { name: "All changes" }).click();
  await file("logo.bin").waitFor();
});

const goalAddress = () => scene.page.address(`#/goals/${commit.goal_id}?a=${commit.id}&tab=diff`);

nightly.each(ways)(
  "the diff $where says what is changed of files without lines",
  async ({ open }) => {
    const page = await open();
    const said = async (path: string) => {
      const file = page.getByRole("region", { name: path, exact: true });
      await file.waitFor();
      const texts = await file.locator("h3, .diff-words").allTextContents();
      return texts.map((text) => text.replace(/[▾▸]/g, "").replace(/\s+/g, " ").trim());
    };
    expect(await said("logo.bin")).toEqual([
      "logo.bin binary, 3 B → 4 B",
      "A binary file. Its content changes, and is not shown.",
    ]);
    expect(await said("new.bin")).toEqual([
      "new.bin new, binary, 1 B",
      "A binary file. Its content is not shown.",
    ]);
    expect(await said("gone.bin")).toEqual([
      "gone.bin deleted, binary, 2 B",
      "A binary file. Its content is not shown.",
    ]);
    expect(await said("empty.txt")).toEqual(["empty.txt new, empty", "An empty file."]);
    expect(await said("tool.sh")).toEqual(["tool.sh executable now", "Its content is the same."]);
    expect(await said("link")).toEqual(["link new, symbolic link +1 −0"]);
    expect(await said('quo"te.txt')).toEqual(['quo"te.txt new +1 −0']);
  },
);

nightly.each(ways)(
  "a file of many lines $where begins with its beginning, and of all of it only what is in view is in the document",
  async ({ open }) => {
    const page = await open();
    const file = page.getByRole("region", { name: "huge.ts", exact: true });
    await file.waitFor();
    const elements = () => page.locator("*").count();
    await file.getByRole("button", { name: "huge.ts" }).click();
    await file.locator(".diff-code-insert", { hasText: "value50 " }).waitFor();
    await file.getByText(`The beginning of ${lines.toLocaleString("en")} lines.`).waitFor();
    expect(await elements()).toBeLessThan(maxElements);
    await file.getByRole("button", { name: "Show all" }).click();
    await file.getByText("value9 ").waitFor();
    expect(await elements()).toBeLessThan(maxElements);
    await file
      .locator(".window-list")
      .evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
    await file.getByText(`value${lines - 1} `).waitFor();
    expect(await elements()).toBeLessThan(maxElements);
    await file.getByRole("button", { name: "Show the beginning" }).click();
    await file.locator(".diff-code-insert", { hasText: "value50 " }).waitFor();
  },
);

nightly("a line that is cut can be read whole", async () => {
  const page = await browser.open(goalAddress());
  const file = page.getByRole("region", { name: "wide.txt", exact: true });
  await file.getByText("508 more characters").waitFor();
  await file.getByRole("button", { name: "Show all" }).click();
  await file.getByText("the end").waitFor();
});

nightly(
  "a person's own version is posted from the inbox by the name of its branch, and is the next version",
  async () => {
    await $`git checkout --quiet -b mine ${corrected.payload} && git commit --quiet --allow-empty -m Mine`.cwd(
      folder,
    );
    const page = await browser.open(scene.page.address("#/inbox"));
    await page.getByRole("button", { name: /Corrected/ }).click();
    await page.getByRole("button", { name: "Your own version…" }).click();
    await page.getByRole("button", { name: "Post it" }).click();
    await page.getByRole("alert").getByText("Nothing was posted: name the commit").waitFor();
    await page.getByLabel("The commit of your version").fill("nowhere");
    await page.getByRole("button", { name: "Post it" }).click();
    await page.getByRole("alert").getByText("has no commit `nowhere`").waitFor();
    await page.getByLabel("The commit of your version").fill("mine");
    await page.getByRole("button", { name: "Post it" }).click();
    await page.getByRole("heading", { level: 2, name: "CodeCommit v3" }).waitFor();
  },
);
