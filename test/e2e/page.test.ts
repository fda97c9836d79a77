// The page in Chromium, on the real API and a real Redis: what people do with it.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allRights } from "../../lib/model/api-access.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { CommitHash } from "../../lib/model/ids.ts";
import { nightly } from "../support/nightly.ts";
import { accessibilityProblems, TestBrowser } from "../support/page/browser.ts";
import { CubLog } from "../support/page/cub-log.ts";
import { startPageScene } from "../support/page/page-scene.ts";
import { newArtefactId, sampleArtefact } from "../support/records/sample.ts";
import { waitFor } from "../support/wait-for.ts";
import type { Member } from "../support/world/clan.ts";
import { ending, report } from "../support/world/people.ts";

setDefaultTimeout(300_000);

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
});
afterEach(() => browser.closePages());
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  expect(browser.problems).toEqual([]);
});

const hash = (digit: string) => CommitHash.parse(digit.repeat(40));
const idle = { retries: 0 };
/** Works until its signal, or until the test lets it go. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pass = (signal: AbortSignal) =>
    Promise.race([promise, new Promise((end) => signal.addEventListener("abort", end))]);
  return { open: () => resolve(), pass };
}

/** Asks once, and ends the goal with what it was answered. */
const asker: Member = {
  ...idle,
  bids: [{ on: "GoalDefined", bid: "exclusive" }],
  tool: ({ context_chain }) => {
    const answer = context_chain.find(({ structural_type }) => structural_type === "Answer");
    if (answer === undefined)
      return {
        structural_type: "Question",
        artefact_type: "Question",
        artefact_payload: "Which colour?",
        summary: "",
      };
    return ending(`It is ${answer.payload}`);
  },
};

test("a goal is stated, grows while it is watched, and what runs is shown with its time", async () => {
  const work = gate();
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: (_, signal) => work.pass(signal).then(() => ending("Built")),
    },
  });
  const goal = await scene.clan.postGoal("Build the thing\nwith care");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}`));
  await page.getByRole("heading", { level: 1, name: "Build the thing" }).waitFor();
  const now = page.getByRole("complementary", { name: "Now" });
  await now.getByText("exclusive on GoalDefined v1").waitFor();
  await page.locator(".card-by").getByText("test", { exact: true }).waitFor();
  const elapsed = now.locator(".elapsed").first();
  const before = await elapsed.textContent();
  await waitFor("the time to go on", async () => (await elapsed.textContent()) !== before, {
    everyMs: 100,
  });
  await page.locator(".card-pending").getByText("coder").waitFor();
  work.open();
  await page.locator('.card[data-id]:has-text("Report")').waitFor();
  await page.getByRole("banner").getByText("live").waitFor();
  await page.locator(".goal-title").getByText("achieved").waitFor();
  const came = page.getByRole("region", { name: "What came of the goal" });
  await came.getByText(/^Report [0-9a-f]{8} by coder: “Built”$/).waitFor();
  await page.locator('.card[data-id]:has-text("Report")').click();
  await page.getByRole("tab", { name: "Why" }).click();
  const why = page.getByRole("tabpanel");
  await why.getByText(/^Report [0-9a-f]{8} by coder, /).waitFor();
  await why.getByText(/^GoalDefined [0-9a-f]{8} by /).waitFor();
  await why.getByText("coder exclusive").waitFor();
});

test("what a command prints is one click away while it runs, on the goal's timeline too, and afterwards", async () => {
  const cubLog = new CubLog("coder");
  const folder = await mkdtemp(join(tmpdir(), "sett-page-"));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const scene = parts.use(
    await startPageScene(
      { coder: { ...idle, bids: [{ on: "GoalDefined", bid: "exclusive" }] } },
      {},
      { logs: cubLog },
    ),
  );
  const script = [
    `printf 'compiling\\n10 %%\\r' >&2`,
    `until [ -e ${folder}/more ]; do sleep 0.05; done`,
    `printf '\\033[32m100 %%\\033[0m\\nlinked\\n' >&2`,
    `until [ -e ${folder}/end ]; do sleep 0.05; done`,
    `printf '{"artefact_type":"Report","artefact_payload":"Built","summary":"Built"}'`,
  ];
  await scene.clan.startCub("coder", script.join("; "), { log: cubLog.log });
  const goal = await scene.clan.postGoal("Build it");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}?view=timeline`));
  await page
    .getByRole("complementary", { name: "Now" })
    .getByRole("button", { name: /coder.*See what it prints/ })
    .click();
  const output = page.getByRole("region", { name: "Output of coder" });
  await output.getByText("10 %").waitFor();
  await writeFile(join(folder, "more"), "");
  await output.getByText("linked").waitFor();
  expect(await output.locator(".text-row").allTextContents()).toEqual([
    expect.stringMatching(/compiling$/),
    expect.stringMatching(/[0-9] 100 %$/),
    expect.stringMatching(/linked$/),
  ]);
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Now" }).waitFor();
  const timeline = page.getByRole("region", { name: /^Timeline of 1 agent/ });
  await timeline.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await output.getByText("linked").waitFor();
  await writeFile(join(folder, "end"), "");
  await output.getByText("ended").waitFor();
  await page.getByRole("button", { name: "What came of it" }).click();
  await page.getByRole("heading", { level: 2, name: /Report/ }).waitFor();
  await timeline.getByRole("button", { name: /^coder: exclusive on GoalDefined, done/ }).waitFor();
});

test("a question is answered in the inbox by keyboard alone, and the work goes on", async () => {
  await using scene = await startPageScene({ asker });
  const goal = await scene.clan.postGoal("Paint it");
  const page = await browser.open(scene.page.address("#/inbox"));
  await page.getByRole("button", { name: /Which colour\?/ }).waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Question from asker" }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("green");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Nothing waits for a person.").waitFor();
  await page
    .getByRole("status")
    .getByText(/^✓ Your answer to [0-9a-f]{8} is on record\.$/)
    .waitFor();
  const answer = await scene.clan.made(goal, ({ structural_type }) => structural_type === "Answer");
  expect(answer.payload).toBe("green");
  const end = await scene.clan.made(goal, ({ structural_type }) => structural_type === "Terminal");
  expect(end.payload).toBe("It is green");
  await waitFor("the title without a count", async () => (await page.title()).startsWith("Inbox"));
});

nightly(
  "of two people who answer at the same time one is first, and the other reads who it was",
  async () => {
    await using scene = await startPageScene({ asker });
    const goal = await scene.clan.postGoal("Paint it");
    const [ada, grace] = await Promise.all(
      ["ada", "grace"].map((name) => browser.open(scene.page.address("#/inbox", name))),
    );
    if (ada === undefined || grace === undefined) throw new Error("There are two pages.");
    for (const page of [ada, grace]) {
      await page.getByRole("button", { name: /Which colour\?/ }).click();
      await page.getByLabel("Your answer").fill(page === ada ? "green" : "blue");
    }
    await Promise.all(
      [ada, grace].map((page) => page.getByRole("button", { name: "Answer", exact: true }).click()),
    );
    const loser = await waitFor("one to read who was first", async () => {
      const texts = await Promise.all(
        [ada, grace].map((page) => page.locator(".inbox-pane").textContent()),
      );
      const at = texts.findIndex((text) => /was answered by (?:ada|grace)/.test(text ?? ""));
      return [ada, grace][at];
    });
    const [winner, text] = loser === ada ? ["grace", "green"] : ["ada", "blue"];
    expect(await loser.locator(".inbox-pane").textContent()).toContain(`was answered by ${winner}`);
    expect(await loser.getByLabel("Your answer").inputValue()).toBe(text);
    const made = (await scene.clan.artefactsOf(goal)).filter(
      ({ structural_type }) => structural_type === "Answer",
    );
    expect(made).toHaveLength(1);
  },
);

test("a result is rejected with a reason, made again, and approved", async () => {
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({ ...report("Draft"), summary: "A draft of the plan" }),
    },
    maintainer: { human: true, bids: [{ on: "Report", bid: "review" }] },
    packer: { ...idle, bids: [{ on: "Report", bid: "exclusive" }], tool: () => ending("Packed") },
  });
  const goal = await scene.clan.postGoal("Plan it");
  const page = await browser.open(scene.page.address("#/clan"));
  // A person has a queue as well.
  await page.locator(".agent").filter({ hasText: "maintainer" }).getByText("1 verdict").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: /Inbox/ }).click();
  await page.getByRole("button", { name: /A draft of the plan/ }).click();
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByRole("alert").getByText("Nothing was rejected: write what must be").waitFor();
  await page.getByLabel("What must be better").fill("The date is missing");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page
    .getByRole("status")
    .getByText(/^✓ Your verdict on [0-9a-f]{8} is on record\.$/)
    .waitFor();
  await scene.clan.made(goal, ({ type, version }) => type === "Report" && version === 2);
  await page.getByText("Report v2 for maintainer").click();
  const beside = page.getByRole("complementary", { name: "Beside the change" });
  await beside.getByText("Plan it").waitFor();
  await beside.getByText("No other reviewer is asked.").waitFor();
  const own = beside.locator(".opinion").filter({ hasText: "The date is missing" });
  expect(await own.locator(".row-symbol").textContent()).toBe("↺");
  // An approval takes two steps.
  await page.keyboard.press("a");
  await page.getByLabel("What you say with it").fill("Well dated");
  await page.getByRole("button", { name: "Approve it" }).click();
  await page.getByText("Nothing waits for a person.").waitFor();
  const end = await scene.clan.made(goal, ({ structural_type }) => structural_type === "Terminal");
  expect(end.payload).toBe("Packed");
  const [first, second] = (await scene.clan.artefactsOf(goal)).filter(
    ({ structural_type }) => structural_type === "Review",
  );
  expect(first?.payload).toContain("The date is missing");
  expect(second).toMatchObject({ payload: "{}", metadata: { comment: "Well dated" } });
});

test("nothing in the inbox is offered before the reader's rights are known, and then the first key acts", async () => {
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => report("Draft"),
    },
    maintainer: { human: true, bids: [{ on: "Report", bid: "review" }] },
  });
  const goal = await scene.clan.postGoal("Plan it");
  const draft = await scene.clan.made(goal, ({ type }) => type === "Report");
  const page = await browser.open(scene.page.address("#/clan"));
  await page.locator(".agent").filter({ hasText: "maintainer" }).getByText("1 verdict").waitFor();
  const rights = gate();
  await page.route("**/v1/instance", async (route) => {
    await rights.pass(new AbortController().signal);
    await route.continue();
  });
  const inquiries = page.waitForResponse(/\/v1\/inquiries/);
  await page.evaluate((id) => {
    location.hash = `#/inbox?i=${id}`;
    location.reload();
  }, draft.id);
  await (await inquiries).finished();
  // Two frames later its answer is drawn.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  expect(await page.getByRole("button", { name: "Approve…" }).count()).toBe(0);
  rights.open();
  await page.getByRole("button", { name: "Approve…" }).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("What you say with it").waitFor();
});

test("a goal has the name of its result in git, and after a revert says by whom and from where", async () => {
  await using scene = await startPageScene({ idler: { ...idle, tool: () => ending("Nothing") } });
  const goal = await scene.clan.postGoal("Paint the door");
  const post = async (over: Partial<Artefact>) => {
    const made = sampleArtefact({
      ...{ id: newArtefactId(), goal_id: goal.goal_id, source_artefacts: [goal.id] },
      ...over,
    });
    await scene.clan.board.createArtefact(made, "person:test");
    return made;
  };
  const land = (of: Artefact, to: string, more: object = {}) =>
    post({
      ...{ structural_type: "Terminal", type: "Landed", produced_by_agent: "merge" },
      source_artefacts: [of.id],
      metadata: { lane: "main", onto: "", commit: hash(to), merged: of.metadata.commit, ...more },
    });
  const type = "CodeCommit";
  const byCoder = { type, produced_by_agent: "coder", metadata: { commit: hash("1") } };
  const there = await land(await post(byCoder), "2");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}`));
  const came = page.getByRole("region", { name: "What came of the goal" });
  await came.getByText(`refs/sett/${scene.clan.board.instance}/${there.id}`).waitFor();
  await came.getByText(/^sett merge /).waitFor();
  const by = "Grace Hopper <grace@example.org>";
  const revert = await post({
    ...{ type, produced_by_agent: "", source_artefacts: [there.id] },
    metadata: { commit: hash("3"), reverts: "main", by },
  });
  await land(revert, "4", { onto: hash("2"), reverted_by: by });
  await page.getByText(/^↶ reverted from the lane main by Grace Hopper /).waitFor();
  await page.locator(".card-by").getByText("Grace Hopper", { exact: true }).waitFor();
  await waitFor(
    "no command that merges",
    async () => (await came.getByText("merge").count()) === 0,
  );
  await page.getByRole("link", { name: "Goals", exact: true }).click();
  await page.getByRole("link", { name: /Paint the door.*↶ reverted/ }).waitFor();
});

test("two people approve one after the other, and no page offers what would not count", async () => {
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({ ...report("Draft"), summary: "A draft of the plan" }),
    },
    owner: {
      ...{ human: true, approvals: 2, people: [{ name: "ada" }, { name: "grace" }] },
      bids: [{ on: "Report", bid: "review" }],
    },
    packer: { ...idle, bids: [{ on: "Report", bid: "exclusive" }], tool: () => ending("Packed") },
  });
  await scene.page.kill();
  scene.page.addToken("eve", allRights);
  await scene.page.run();
  const goal = await scene.clan.postGoal("Plan it");
  const open = async (name: string) => {
    const page = await browser.open(scene.page.address("#/inbox", name));
    await page.getByRole("button", { name: /A draft of the plan/ }).click();
    return page;
  };
  const ada = await open("ada");
  const grace = await open("grace");
  const none = "0 of 2 approvals. It waits for ada or grace";
  await grace.getByRole("status").getByText(none).waitFor();
  await ada.getByRole("status").getByText(none).waitFor();
  await ada.keyboard.press("a");
  await ada.getByRole("button", { name: "Approve it" }).click();
  const one = "1 of 2 approvals: ada. It waits for grace";
  await ada.getByRole("status").getByText(one).waitFor();
  await ada.getByText(/^ada has approved Report [0-9a-f]{8} already, and 2 different/).waitFor();
  expect(await ada.getByRole("button", { name: /Approve/ }).count()).toBe(0);
  expect(await ada.getByLabel("What you say with it").count()).toBe(0);
  await ada.getByRole("button", { name: "Reject…" }).waitFor();
  await ada.keyboard.press("a");
  const beside = ada.getByRole("complementary", { name: "Beside the change" });
  await beside.getByText("ada, for owner, approved").waitFor();
  expect(await accessibilityProblems(ada)).toEqual([]);
  expect(await ada.getByLabel("What you say with it").count()).toBe(0);

  const eve = await open("eve");
  await eve.getByText("You do not speak for owner: people in sett.yml says who does.").waitFor();
  expect(await eve.getByRole("button", { name: "Approve…" }).isDisabled()).toBe(true);
  expect(await accessibilityProblems(eve)).toEqual([]);

  // The page of the other person has followed.
  await grace.getByRole("status").getByText(one).waitFor();
  await grace
    .getByRole("complementary", { name: "Beside the change" })
    .getByText("ada, for owner, approved")
    .waitFor();
  await grace.keyboard.press("a");
  await grace.getByRole("button", { name: "Approve it" }).click();
  await grace.getByText("Nothing waits for a person.").waitFor();
  const end = await scene.clan.made(goal, ({ structural_type }) => structural_type === "Terminal");
  expect(end.payload).toBe("Packed");
});

nightly("a goal is cancelled after a second thought, and its work ends", async () => {
  const work = gate();
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: (_, signal) => work.pass(signal).then(() => ending("Built")),
    },
  });
  const goal = await scene.clan.postGoal("Build it");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}`));
  await page.locator(".card-pending").waitFor();
  await page.getByRole("button", { name: "Cancel the goal" }).click();
  await page.getByRole("button", { name: "No" }).click();
  await page.getByRole("button", { name: "Cancel the goal" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.locator(".goal-title").getByText("cancelled").waitFor();
  expect(await page.getByRole("button", { name: "Cancel the goal" }).count()).toBe(0);
  await page.getByText("No agent works on this goal.").waitFor();
});

nightly("the instance is paused and resumed, and a reader may do neither", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/paused by ada/).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const reader = await browser.open(scene.page.address("#/goals", "reader"));
  expect(await reader.getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
});

test("the page says when the server is gone, connects again by itself, and misses nothing", async () => {
  await using scene = await startPageScene({
    coder: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ending("Built"),
    },
  });
  const page = await browser.open(scene.page.address("#/goals"));
  await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
  await scene.page.kill();
  await page.getByText("Not connected. What you see may be old.").waitFor();
  await scene.clan.postGoal("Stated meanwhile");
  await scene.page.run();
  await page.getByRole("banner").getByText("live", { exact: true }).waitFor();
  await page.getByRole("link", { name: /Stated meanwhile/ }).waitFor();
  await page.getByText("Connected again.").waitFor();
});

test("hostile content is text: scripts, terminal escapes, marks that turn text, five megabytes", async () => {
  await using scene = await startPageScene({});
  const evil =
    "<script>document.title='pwned'</script><img src=x onerror=alert(1)> \u001b[31mred \u202eevil";
  const goal = await scene.clan.postGoal(evil, { metadata: { summary: evil } });
  const long = `${evil}\n${"0123456789abcdef".repeat(64)}\n`.repeat(5_000);
  const one = sampleArtefact({
    id: newArtefactId(),
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
    type: evil.slice(0, 190),
    payload: long,
    metadata: { summary: evil },
  });
  await scene.clan.board.createArtefact(one, "person:test");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}?a=${one.id}`));
  await page.getByText(/The beginning of 5\.\d MB/).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText(/The beginning of 5\.\d MB/).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  const rows = page.locator(".text-rows");
  await rows.getByText("<script>").first().waitFor();
  expect(await rows.locator("li").count()).toBeLessThan(200);
  await rows.evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await rows.getByText("89abcdef").first().waitFor();
  expect(await page.locator(".mark").first().textContent()).toBe("ESC");
  expect(await page.locator("script").count()).toBe(1);
  expect(await page.locator("img").count()).toBe(0);
  await waitFor("the title as text", async () =>
    (await page.title()).startsWith("<script>document.title='pwned'</script><img"),
  );
});

nightly("the log of a gateway is offered only where one has run", async () => {
  await using scene = await startPageScene({});
  const page = await browser.open(scene.page.address("#/clan"));
  const logs = page.getByRole("group", { name: "Logs of the services" });
  await logs.getByRole("button", { name: "orchestrator" }).waitFor();
  expect(await logs.getByRole("button").allTextContents()).toEqual(["orchestrator", "redis"]);
  const started_at = new Date().toISOString();
  await scene.clan.board.announceGateway({ started_at, goal_budget: {}, agents: {}, models: {} });
  await page.reload();
  await logs.getByRole("button", { name: "gateway" }).waitFor();
});

nightly(
  "the log of an agent is shown as it is written, and controls in it are shown by their names",
  async () => {
    const more = gate();
    const logs = {
      async *read(
        name: string,
        { follow, signal }: { tail: number; follow: boolean; signal: AbortSignal },
      ) {
        if (!follow) return;
        yield `${name} has begun \u001b[32mgreen`;
        await more.pass(signal);
        yield "and goes on";
        await new Promise((end) => signal.addEventListener("abort", end));
      },
    };
    await using scene = await startPageScene(
      { coder: { tool: () => ending("Built") } },
      {},
      { logs },
    );
    const page = await browser.open(scene.page.address("#/clan"));
    await page.getByRole("button", { name: "Log", exact: true }).click();
    const log = page.getByRole("region", { name: "Log of coder" });
    await log.getByText("coder has begun").waitFor();
    expect(await log.locator(".mark").first().textContent()).toBe("ESC");
    more.open();
    await log.getByText("and goes on").waitFor();
    await log.getByText("follows").waitFor();
  },
);

nightly("the filters of the log are in the address, and new events pass through them", async () => {
  await using scene = await startPageScene({ asker });
  const goal = await scene.clan.postGoal("Paint it");
  const page = await browser.open(scene.page.address(`#/log?goal=${goal.id}`));
  await page.getByText("posts the goal").waitFor();
  await page.getByLabel("Types").selectOption("people");
  await page.getByText(/passes question/).waitFor();
  expect(await page.getByText("posts the goal").count()).toBe(0);
  expect(page.url()).toContain("question_asked");
  const other = await browser.open(scene.page.address(`#/log?type=goal_ended`));
  await other.getByText("No event is like this.").waitFor();
  await scene.clan.board.logEvent(
    { type: "cancel_requested", goal_id: goal.goal_id },
    "person:test",
  );
  await other.getByText(/ends the goal: cancelled/).waitFor();
  await page.getByText("asks to cancel the goal").waitFor();
});

test("what a person says on the page reaches the work, and a blank remark does not", async () => {
  const [drafting, painting] = [gate(), gate()];
  const inputs: string[] = [];
  await using scene = await startPageScene({
    drafter: {
      ...idle,
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: (_, signal) =>
        drafting.pass(signal).then(() => ({
          structural_type: "Standard",
          artefact_type: "Draft",
          artefact_payload: "A door",
          summary: "",
        })),
    },
    painter: {
      ...idle,
      bids: [{ on: "Draft", bid: "exclusive" }],
      tool: async ({ additional_context }, signal) => {
        inputs.push(...additional_context.map(({ payload }) => payload));
        await painting.pass(signal);
        return ending("Painted");
      },
    },
  });
  const goal = await scene.clan.postGoal("Paint the door");
  const page = await browser.open(scene.page.address(`#/goals/${goal.id}`));
  await page.getByRole("button", { name: "Say something to the work" }).click();
  await page.getByRole("button", { name: "Say it" }).click();
  await page.getByRole("alert").getByText("Write what the work should know.").waitFor();
  await page.getByLabel("To all work on this goal").fill("Leave the hinges");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("status").getByText("Said.").waitFor();
  drafting.open();
  const now = page.getByRole("complementary", { name: "Now" });
  await now.getByRole("button", { name: /painter/ }).click();
  expect(inputs).toEqual(["Leave the hinges"]);
  const beside = page.getByRole("complementary", { name: "Output" });
  await beside.getByRole("button", { name: "Say something to the work" }).click();
  await beside.getByLabel("To the work on this claim alone").fill("Green, please");
  await beside.getByRole("button", { name: "Say it" }).click();
  await beside.getByRole("status").getByText("Said.").waitFor();
  const said = (await scene.clan.artefactsOf(goal)).filter(({ type }) => type === "PersonSays");
  expect(said.map(({ payload }) => payload)).toEqual(["Leave the hinges", "Green, please"]);
  painting.open();
});

nightly(
  "a reader who wants it is notified when a question waits and the page is not in view",
  async () => {
    const work = gate();
    await using scene = await startPageScene({
      asker: {
        ...asker,
        tool: (input, signal) => work.pass(signal).then(() => asker.tool?.(input, signal)),
      },
    });
    const page = await browser.open(scene.page.address("#/goals"), {
      permissions: ["notifications"],
    });
    await page.getByTitle("Your name, rights, notifications and colours").click();
    const wish = page.getByLabel("a question waits for a person");
    await wish.click();
    await page.reload();
    expect(await wish.isChecked()).toBe(true);
    expect(await page.getByLabel("a goal ends").isChecked()).toBe(false);
    await page.evaluate(() => {
      const notices: string[] = [];
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
      class Notice {
        static permission = "granted";
        constructor(title: string, { body }: { body: string }) {
          notices.push(`${title}: ${body}`);
        }
      }
      Object.assign(globalThis, { Notification: Notice, notices });
    });
    await scene.clan.postGoal("Paint it");
    work.open();
    const notices = () =>
      page.evaluate(() => Reflect.get(globalThis, "notices") as unknown as string[]);
    await waitFor("the notification", async () => (await notices()).length > 0);
    expect(await notices()).toEqual(["Sett: A question waits for you."]);
  },
);
