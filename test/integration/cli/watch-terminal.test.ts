// sett watch as a person sees it: the real program on a pseudo terminal, a real orchestrator, and
// agents played by the test.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { type ServiceProcess, startService } from "../../support/process/service-process.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

let at: Workspace;
let board: Blackboard;
let orchestrator: ServiceProcess;
const stop = new AbortController();
const [reviewer, coder, tester] = [agentName("reviewer"), agentName("coder"), agentName("tester")];
const utf8 = { LANG: "C.UTF-8" };
const interrupt = "\u0003";

const onTerminal = (columns: number, env: Record<string, string>, ...words: string[]) =>
  settOnTerminal(words, { cwd: at.folder, env: { ...at.env, ...env }, columns });

/**
 * The reviewer approves, the coder accepts the work and falls silent; the tester bids when the test
 * does it.
 */
beforeAll(async () => {
  at = await Workspace.create();
  board = await at.board();
  const agents = [reviewer, coder, tester].map((name) =>
    sampleAgent(name, { bids_by_command: true }),
  );
  await board.registerAgents(agents, "person:Ada", { exact: true });
  // From the future, so that they live for as long as these tests.
  for (const agent of [reviewer, coder])
    await board.reportStatus(agent, { at: Date.now() + 600_000, state: "idle" });
  const approval = { structural_type: "Review", type: "Review", payload: "{}" } as const;
  const roles = [
    playAgent(board, reviewer, { bid: () => "review", work: () => approval }, stop.signal),
    playAgent(board, coder, { bid: () => "exclusive" }, stop.signal),
  ];
  for (const role of roles) role.catch(() => {});
  orchestrator = startService("orchestrator", { ...at.env, SETT_HEALTH_PORT: "0" });
}, 120_000);

afterAll(async () => {
  stop.abort();
  await orchestrator[Symbol.asyncDispose]();
  await board[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

async function postGoal(): Promise<{ goal: ArtefactId; claim: ClaimId }> {
  const goal = sampleArtefact({
    metadata: { summary: "Write about the door, and be sure to say which of the doors is meant" },
  });
  await board.createArtefact(goal, "person:Ada");
  const claim = await waitFor("its claim", async () =>
    (await board.claimsOfArtefact(goal.id)).get("standard"),
  );
  await waitFor("two bids", async () => (await board.readClaim(claim))?.claim.bids.length === 2);
  return { goal: goal.id, claim };
}

/** The tester ignores it, and the coder sets to work for a long time. */
async function setToWork(claim: ClaimId): Promise<void> {
  await board.placeBid({ claim, agent: tester, word: "ignore" });
  const lease = { claim, agent: coder, attempt: 1, leaseMs: 600_000 };
  const isAtWork = async () => (await board.renewLease(lease)).outcome === "renewed";
  await waitFor("the coder to work", isAtWork);
}

/** The lines of a pipe as a terminal has them: the tester's bid is shown with the closing. */
function forPeople(text: string): string[] {
  const lines = text.trimEnd().split("\n");
  return lines
    .filter((line) => !line.includes("bids ignore"))
    .map((line) => (line.includes("closes the bidding") ? `${line}, ignored by tester` : line));
}

/** Returns what was broken between two words is one line again. */
const unbroken = (rows: readonly string[]) =>
  rows
    .join("\n")
    .replace(/\n {20,}/g, " ")
    .split("\n");

const footIn = (rows: readonly string[]) => rows.filter((row) => /^(?:──|--) /.test(row));

describe("sett watch on a terminal", () => {
  test("shows an open claim below the log, follows its phases and the size of the window, and leaves only the log", async () => {
    const { goal, claim } = await postGoal();
    await using sett = onTerminal(100, utf8, "watch", "--goal", goal);
    const last = (rows: readonly string[]) => rows.at(-1) ?? "";
    const bids = `${claim.slice(0, 8)}  GoalDefined  bids coder:exclusive reviewer:review tester:?  tester`;
    await sett.showing("who is waited for", ({ rows }) => last(rows) === `${bids} never heard`);
    await board.reportStatus(tester, { at: Date.now() + 600_000, state: "idle" });
    await sett.showing("that the tester lives", ({ rows }) =>
      last(rows).startsWith(`${bids} to bid `),
    );
    await setToWork(claim);
    const atWork =
      /^[0-9a-f]{8} {2}GoalDefined {2}review ✓reviewer → exclusive ●coder {2}coder at work \w+$/;
    await sett.showing("the work", ({ rows }) => atWork.test(last(rows)));
    expect(sett.screen.rows.at(-2)).toMatch(/^── 1 open claim ─+$/);
    sett.resize(40, 24);
    await sett.showing("less", ({ rows }) =>
      /^[0-9a-f]{8} {2}R✓ E● {2}coder at work \w+$/.test(last(rows)),
    );
    expect(footIn(sett.screen.rows)).toHaveLength(1);
    sett.type(interrupt);
    expect(await sett.exited).toBe(130);
    // Where a line is broken, a bar in front of each row takes the place of quotation marks.
    const quoted = (line: string) =>
      line.replace(/ +│ (.*)$/, (_, words: string) => `  “${words.replaceAll(" │ ", " ")}”`);
    expect(unbroken(sett.screen.lines).map(quoted)).toEqual(
      forPeople(await at.need("watch", "--no-follow", "--goal", goal)),
    );
    expect(sett.screen.unknown).toEqual([]);
  }, 120_000);

  test("draws in ASCII where the locale is not UTF-8, and without colours where NO_COLOR is set", async () => {
    const { goal, claim } = await postGoal();
    await setToWork(claim);
    await using sett = onTerminal(
      100,
      { LANG: "C", NO_COLOR: "1" },
      "watch",
      "--goal",
      goal,
      "--type",
      "goal_ended",
    );
    await sett.showing("the claim", ({ rows }) =>
      rows.some((row) => row.includes("review +reviewer -> exclusive *coder")),
    );
    expect(sett.screen.rows.at(0)).toMatch(/^-- 1 open claim -+$/);
    expect(sett.raw()).not.toMatch(colour);
    await using coloured = onTerminal(100, utf8, "watch", "--goal", goal);
    await coloured.showing("the claim", ({ rows }) => footIn(rows).length === 1);
    expect(coloured.raw()).toMatch(colour);
  }, 120_000);

  nightly(
    "has no claims below a log for programs, one that ends, or on a terminal whose cursor cannot move",
    async () => {
      const { goal, claim } = await postGoal();
      await setToWork(claim);
      const words = ["watch", "--goal", goal];
      const [text, jsonl] = [
        await at.need(...words, "--no-follow"),
        await at.need(...words, "--no-follow", "-o", "jsonl"),
      ];
      expect(text).toMatch(/reviewer +posts Review [0-9a-f]{8} {2}“approves”$/m);
      expect(await at.need("hoard", "--goal", goal)).toMatch(/ Review .* approves$/m);
      const count = text.trimEnd().split("\n").length;
      await using past = onTerminal(200, utf8, ...words, "--no-follow");
      expect(await past.exited).toBe(0);
      expect(past.screen.lines).toEqual(forPeople(text));
      await using dumb = onTerminal(200, { TERM: "dumb" }, ...words);
      await using programs = onTerminal(10_000, utf8, ...words, "-o", "jsonl");
      for (const [sett, lines] of [
        [dumb, forPeople(text).length],
        [programs, count],
      ] as const) {
        await sett.showing("the log", ({ rows }) => rows.length >= lines);
        sett.type(interrupt);
        expect(await sett.exited).toBe(130);
      }
      expect(dumb.raw().replaceAll("\r\n", "\n")).toStartWith(forPeople(text).join("\n"));
      expect(programs.raw().replaceAll("\r\n", "\n")).toStartWith(jsonl);
      expect(dumb.raw() + programs.raw()).not.toContain("open claim");
    },
    120_000,
  );

  nightly(
    "shows no claims while Redis is away, says so above, and shows them again",
    async () => {
      const { goal } = await postGoal();
      await using sett = onTerminal(100, utf8, "watch", "--goal", goal);
      await sett.showing("the claim", ({ rows }) => footIn(rows).length === 1);
      await at.redis.kill();
      await sett.showing(
        "the loss",
        ({ rows }) => rows.at(-1)?.includes("Redis does not answer. Waiting") === true,
      );
      await at.redis.start();
      await sett.showing(
        "the claim again",
        ({ rows }) => footIn(rows).length === 1 && rows.includes("Redis answers again."),
      );
    },
    120_000,
  );
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it.
const colour = /\u001b\[[0-9;]*m/;
