// An approval that several people have to give: whose counts, what people see of it, and what the
// orchestrator and an auditor make of one that does not count.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isForApproval } from "../../../lib/model/claim.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { exportedLog } from "../../support/proof/exported-log.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const people = [
  { name: "ada", email: "ada@sett.invalid" },
  { name: "bob", email: "bob@example.org" },
  { name: "eve", email: "eve@example.org" },
];
const owner: Member = {
  ...{ human: true, people, approvals: 2, not_by: ["poster", "approver_of_input"] },
  ...bids({ on: "Plan", bid: "review" }, { on: "Draft", bid: "review" }),
};
const members = {
  planner: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: () => report("Plan") },
  writer: { ...bids({ on: "Plan", bid: "exclusive" }), tool: () => report("Draft") },
  owner,
};
const isPlan = ({ type }: Artefact) => type === "Plan";

const ada = "Ada Lovelace <ada@sett.invalid>";
const bob = "Bob <bob@example.org>";

test("two different people have to approve, none of whom has posted the goal, and each sees how far it is", async () => {
  await using clan = await Sett.start(at, members);
  const forage = ["forage", "--goal", "Plan"];
  const goal = { goal_id: (await clan.need(...forage)).trim() } as Artefact;
  const plan = await clan.made(goal, isPlan);
  await clan.grant(plan, "owner", "waiting");
  const short = plan.id.slice(0, 8);
  const refused = await clan.sett("approve", plan.id, "--as", ada);
  expect({ code: refused.code, err: refused.err }).toEqual({
    code: 1,
    err: expect.stringContaining(
      "The approval of Ada Lovelace does not count: `not_by` of owner in sett.yml leaves out people who had a part in this work (poster, approver_of_input).\n",
    ),
  });
  expect(refused.err).toContain("It waits for bob or eve.");
  expect(await clan.need("status")).toMatch(`waits for \`owner\` to approve or reject ${short}, `);
  expect(await clan.need("status")).toContain("(0 of 2 approvals, not of ada@sett.invalid)");

  const first = await clan.sett("approve", plan.id, "--as", bob);
  expect({ code: first.code, err: first.err }).toEqual({
    code: 0,
    err: expect.stringContaining(
      "Approved by Bob, for owner: 1 of 2 approvals: Bob. It waits for eve.\n",
    ),
  });
  const half = await clan.sett("unearth", plan.id);
  expect(half.err + half.out).toMatch(
    /Bob, for owner, approved[\s\S]*owner is asked, and waits for eve/,
  );
  expect(await clan.need("questions")).toContain(
    "1 of 2 approvals: Bob; the approval of ada@sett.invalid does not count; it waits for eve",
  );
  expect(JSON.parse(await clan.need("questions", "--json"))).toMatchObject([
    { id: plan.id, approvals: { needed: 2, by: [bob], not_by: ["ada@sett.invalid"] } },
  ]);
  expect(await clan.need("watch", "--no-follow")).toContain(": 1 of 2 approvals");
  const again = await clan.sett("approve", plan.id, "--as", "bob");
  expect({ code: again.code, err: again.err }).toEqual({
    code: 1,
    err: expect.stringContaining(`bob has approved Plan ${short} already, and 2 different people`),
  });
  const second = await clan.sett("approve", plan.id, "--as", "eve");
  expect({ code: second.code, err: second.err }).toEqual({
    code: 0,
    err: expect.stringContaining("Approved by eve, for owner.\n"),
  });
  // Each of them is named, not the last one alone.
  const shown = await clan.sett("unearth", plan.id);
  expect(shown.err + shown.out).toMatch(/Bob, for owner, approved[\s\S]*eve, for owner, approved/);
  const story = await clan.need("report", goal.goal_id, "--format", "json");
  expect(JSON.parse(story)).toMatchObject({
    verdicts: [
      { by: "Bob", approves: true },
      { by: "eve", approves: true },
    ],
  });

  // A person who has approved the plan approves nothing that is made from it.
  const draft = await clan.made(goal, ({ type }) => type === "Draft");
  await clan.grant(draft, "owner", "waiting");
  const input = await clan.sett("approve", draft.id, "--as", bob);
  expect({ code: input.code, err: input.err }).toEqual({
    code: 1,
    err: expect.stringContaining("It waits for a person whom `people` in sett.yml does not name"),
  });
  // Each may send it back, and one is enough.
  await clan.need("reject", draft.id, "--as", ada, "--reason", "Shorter");
  const replay = await clan.sett("audit", "replay");
  expect({ code: replay.code, out: replay.out }).toEqual({
    code: 0,
    out: expect.not.stringContaining("The rules say"),
  });
});

test("an approval of a person who has left counts no more, which each reader says, and the replay agrees", async () => {
  await using clan = await Sett.start(at, members);
  const goal = { goal_id: (await clan.need("forage", "--goal", "Plan")).trim() } as never;
  const plan = await clan.made(goal, isPlan);
  await clan.grant(plan, "owner", "waiting");
  await clan.need("approve", plan.id, "--as", bob);
  const { board } = clan;
  const [registered] = (await board.listAgents()).filter(({ name }) => name === "owner");
  if (registered === undefined) throw new Error("There is no owner.");
  const staying = [{ name: "mia" }, ...people.filter(({ name }) => name !== "bob")];
  await board.registerAgents([{ ...registered, people: staying }], "person:test", { exact: false });
  expect(await clan.need("status")).toContain("(0 of 2 approvals, not of ada@sett.invalid)");
  const gone = await clan.sett("approve", plan.id, "--as", bob);
  expect({ code: gone.code, err: gone.err }).toEqual({
    code: 1,
    err: expect.stringContaining("and Bob <bob@example.org> is none of them."),
  });
  const next = await clan.sett("approve", plan.id, "--as", "eve");
  expect({ code: next.code, err: next.err }).toEqual({
    code: 0,
    err: expect.stringContaining(
      "Approved by eve, for owner: 1 of 2 approvals: eve. It waits for mia.",
    ),
  });
  expect(await clan.need("status")).toContain("(1 of 2 approvals: eve, not of ada@sett.invalid)");
  expect(await clan.need("watch", "--no-follow")).toContain(
    "one of 2 approvals, as an earlier one counts no more",
  );
  await clan.need("approve", plan.id, "--as", "mia");
  await clan.made(goal, ({ type }) => type === "Draft");
  const replay = await clan.sett("audit", "replay");
  expect({ code: replay.code, out: replay.out }).toEqual({
    code: 0,
    out: expect.not.stringContaining("The rules say"),
  });
});

test("where a program has counted too few, the orchestrator asks again, and the replay agrees", async () => {
  await using clan = await Sett.start(at, members);
  const forage = ["forage", "--goal", "Plan"];
  const goal = { goal_id: (await clan.need(...forage)).trim() } as never;
  const plan = await clan.made(goal, isPlan);
  await clan.grant(plan, "owner", "waiting");
  await clan.need("approve", plan.id, "--as", bob);
  const { board } = clan;
  const [claim] = await board.readClaims([...(await board.claimsOfArtefact(plan.id)).values()]);
  const waiting = claim?.grants.find(isForApproval);
  const [approval] = waiting?.quorum?.approvals ?? [];
  if (claim === undefined || waiting === undefined || approval === undefined)
    throw new Error("Nothing waits.");
  const review = await board.readArtefact(approval.review);
  const digest = (await board.readWithDigest(plan.id))?.digest ?? "";
  const { waits_for: _, ...rest } = waiting;
  const forged = { ...review, id: crypto.randomUUID() } as Artefact;
  await board.recordVerdict({
    grant: {
      ...{ ...rest, state: "done", ended_at: new Date().toISOString() },
      artefact_ids: [forged.id, approval.review],
    },
    review: { ...forged, logical_id: forged.id as never },
    ...{ digest, actor: `person:${bob}` },
  });
  const again = await waitFor("the people to be asked again", async () => {
    const { grants } = await clan.claimOn(plan, "standard");
    return grants.find((grant) => isForApproval(grant) && grant.attempt === 2);
  });
  expect(again).toMatchObject({ attempt: 2, quorum: { needed: 2, not_by: ["ada@sett.invalid"] } });
  expect(await clan.need("status")).toContain("(0 of 2 approvals, not of ada@sett.invalid)");
  for (const name of [bob, "eve"]) await clan.need("approve", plan.id, "--as", name);
  await clan.made(goal, ({ type }) => type === "Draft");
  const replay = await clan.sett("audit", "replay");
  expect(replay.code).toBe(0);
});

test("a bundle is decided again without a sett, and what differs has its place in the log", async () => {
  await using clan = await Sett.start(at, members);
  const goal = { goal_id: (await clan.need("forage", "--goal", "Plan")).trim() } as never;
  const plan = await clan.made(goal, isPlan);
  await clan.grant(plan, "owner", "waiting");
  for (const name of [bob, "eve"]) await clan.need("approve", plan.id, "--as", name);
  const draft = await clan.made(goal, ({ type }) => type === "Draft");
  await clan.grant(draft, "owner", "waiting");
  using outside = temporaryFolder();
  const audit = (...words: string[]) =>
    runSett(["audit", ...words], { cwd: outside.path, env: { DOCKER_HOST: "unix:///nowhere" } });

  const whole = await exportedLog(clan, outside.path);
  const replay = await audit("replay", whole.file);
  expect({ code: replay.code, out: replay.out, err: replay.err }).toEqual({
    ...{ code: 0, out: "" },
    err: expect.stringMatching(
      /decisions about 3 claims were made again[\s\S]*`sett audit verify`/,
    ),
  });
  const trust = ["--key", whole.key];
  const shown = await audit("verify", whole.file, ...trust, "--require", "replay");
  expect({ code: shown.code, err: shown.err }).toMatchObject({ code: 0 });

  // One approval would have been enough, and the work went on before the second.
  const isRule = ({ type, event }: { type: string; event: string }) =>
    type === "grant_waiting" && event.includes('"orchestrator:1"') && event.includes(plan.id);
  const changed = await exportedLog(clan, outside.path, (events) =>
    events.map((one) =>
      isRule(one) ? { ...one, event: one.event.replace('"approvals":2', '"approvals":1') } : one,
    ),
  );
  // The decision begins with the bids, and the end of the bidding.
  const place = (await clan.board.readRawEvents("0", 1_000)).findIndex(isRule) - 2;
  const other = await audit("replay", changed.file, "--json");
  expect(other.code).toBe(1);
  expect(JSON.parse(other.out).differences).toMatchObject([
    {
      index: place,
      record: expect.stringContaining("approvals=1"),
      rules: expect.stringContaining("approvals=2"),
    },
  ]);
  expect((await audit("replay", changed.file)).out).toContain(`, at entry ${place}, event `);

  // The end of the log is cut off: a decision is due, and not there.
  const cut = await exportedLog(clan, outside.path, (events) => events.slice(0, place - 1));
  const missing = await audit("replay", cut.file);
  expect({ code: missing.code, err: missing.err }).toEqual({
    code: 1,
    err: expect.stringContaining("due, and the file has no more of them."),
  });
  const due = await audit("verify", cut.file, "--key", cut.key, "--require", "replay");
  expect({ code: due.code, out: due.out }).toEqual({
    code: 1,
    out: expect.stringContaining("decision records.jsonl: About artefact "),
  });
  expect((await audit("verify", cut.file, "--key", cut.key)).code).toBe(0);
  const word = await audit("verify", cut.file, "--key", cut.key, "--require", "all");
  expect({ code: word.code, err: word.err }).toEqual({
    code: 2,
    err: expect.stringContaining("--require does not know `all`."),
  });
});
