// sett approve and sett reject: a person's word in the middle of a workflow, with the real program,
// orchestrator, cubs and Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import type { Member } from "../../support/world/clan.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const maintainer: Member = { human: true, role: "owner", ...bids({ on: "Draft", bid: "review" }) };

/**
 * A writer of drafts, a person who judges them, and a printer that may only print what is approved.
 */
function publishers(over: Record<string, Member> = {}) {
  const inputs: ToolInput[] = [];
  const write = (input: ToolInput) => {
    inputs.push(input);
    return report("Draft", { metadata: { pages: 3 } });
  };
  const members = {
    writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: write },
    maintainer,
    printer: {
      ...bids({ on: "Draft", bid: "exclusive" }),
      tool: () => report("Book", { structural_type: "Terminal" }),
    },
    ...over,
  } satisfies Record<string, Member>;
  return { members, inputs };
}

const isDraft = (version: number) => (one: Artefact) =>
  one.type === "Draft" && one.version === version;

nightly(
  "who approves a corrected commit sees all that it changes, and what is new since their last verdict",
  async () => {
    const base = CommitHash.parse(await at.git("rev-parse", "HEAD"));
    const commits = [
      CommitHash.parse(await at.commit("install.sh", "1\n")),
      CommitHash.parse(await at.commit("NOTES.md", "1\n")),
    ];
    const bid = ({ type }: Artefact): BidWord => (type === "GoalDefined" ? "exclusive" : "ignore");
    const work = ({ type, logical_id }: Artefact): Partial<Artefact> => {
      const [first, second] = commits;
      if (type === "GoalDefined") return { type: "CodeCommit", metadata: { commit: first } };
      return { type: "CodeCommit", logical_id, version: 2, metadata: { commit: second } };
    };
    const judging: Member = { human: true, ...bids({ on: "CodeCommit", bid: "review" }) };
    await using clan = await Sett.start(at, {
      coder: { behaviour: { bid, work } },
      maintainer: judging,
    });
    const goal = await clan.postGoal("Notes", { metadata: { commit: base } });
    const first = await clan.made(goal, (one) => one.version === 1 && one.type === "CodeCommit");
    await clan.grant(first, "maintainer", "waiting");
    await clan.need("reject", first.id, "--reason", "Explain it");
    const second = await clan.made(goal, (one) => one.version === 2);
    await clan.grant(second, "maintainer", "waiting");
    const shown = await clan.need("unearth", second.id);
    expect(shown).toContain(" │ NOTES.md   | 1 +\n │ install.sh | 1 +\n │ 2 files changed");
    const since = `since your last verdict, on version 1 (commit ${commits[0]?.slice(0, 12)}):`;
    expect(shown).toContain(
      `Only the changes ${since}\n\n │ NOTES.md | 1 +\n │ 1 file changed, 1 insertion(+)\n │ create mode 100644 NOTES.md\n`,
    );
    const { code, err } = await clan.sett("approve", second.id);
    expect(code).toBe(0);
    expect(err).toContain(
      `2 commits since ${base.slice(0, 12)}, the commit of the goal: 2 files changed, 2 insertions(+)\n`,
    );
    expect(err).toContain(" │ NOTES.md   | 1 +\n │ install.sh | 1 +\n");
    expect(err).toContain(`Only ${since} 1 file changed, 1 insertion(+)\n`);
    const beside = `The goal:\n  │ Notes\nReviews of this version:\n  o maintainer is asked and has not answered\nYou have said of earlier versions:\n  < Ada Lovelace, for maintainer, sent it back (on CodeCommit ${first.id.slice(0, 8)}, version 1)\n    │ Explain it\n`;
    expect(err).toContain(beside);
    expect(shown).toContain(beside);
  },
);

nightly("a commit that cannot be had is not approved unseen, and can be rejected", async () => {
  const gone = CommitHash.parse("0123456789".repeat(4));
  const bid = ({ type }: Artefact): BidWord => (type === "GoalDefined" ? "exclusive" : "ignore");
  const work = () => ({ type: "CodeCommit", metadata: { commit: gone } });
  const judging: Member = { human: true, ...bids({ on: "CodeCommit", bid: "review" }) };
  await using clan = await Sett.start(at, {
    coder: { behaviour: { bid, work } },
    maintainer: judging,
  });
  const goal = await clan.postGoal("Notes");
  const made = await clan.made(goal, (one) => one.type === "CodeCommit");
  await clan.grant(made, "maintainer", "waiting");
  const { code, err } = await clan.sett("approve", made.id);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("Nothing was approved, because its changes cannot be shown"),
  });
  const rejected = await clan.sett("reject", made.id, "--reason", "Where is it?");
  expect({ code: rejected.code, err: rejected.err }).toEqual({
    code: 0,
    err: expect.stringContaining(
      "! Its changes are not shown: The repository does not have commit",
    ),
  });
});

test("a gate: rejected work is made again by its producer, who gets the reason, and goes on once it is approved", async () => {
  const { members, inputs } = publishers();
  await using clan = await Sett.start(at, members);
  const goal = await clan.goal();
  const first = await clan.made(goal, isDraft(1));
  await clan.grant(first, "maintainer", "waiting");

  const status = JSON.parse(await clan.need("status", "--json", "--goal", goal.id));
  expect(status.goals[0]).toMatchObject({
    state: "waiting",
    waiting_for: [{ kind: "approval", agent: "maintainer" }],
  });
  expect(status.agents).toContainEqual(
    expect.objectContaining({ name: "maintainer", state: "person", last_heartbeat: null }),
  );
  expect(await clan.need("status")).toContain(
    `waits for \`maintainer\` to approve or reject ${first.id.slice(0, 8)}`,
  );

  const rejected = await clan.sett(
    "reject",
    first.id.slice(0, 8),
    "--reason",
    "No title.\nAdd one.",
  );
  expect(rejected.code).toBe(0);
  expect(rejected.out).toMatch(/^[0-9a-f-]{36}\n$/);
  expect(rejected.err).toContain(`Draft version 1 (${first.id.slice(0, 8)}): A Draft`);
  const feedback: Artefact = JSON.parse(await clan.need("unearth", rejected.out.trim(), "--json"));
  expect(feedback).toMatchObject({
    structural_type: "Review",
    type: "Review",
    payload: '{"reason":"No title.\\nAdd one."}',
    source_artefacts: [first.id],
    produced_by_agent: "maintainer",
    produced_by_role: "owner",
    goal_id: goal.id,
    metadata: {
      summary: "Rejected by Ada Lovelace: No title.",
      artefact: first.id,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      by: "Ada Lovelace <ada@sett.invalid>",
    },
  });

  const second = await clan.made(goal, isDraft(2), "the second version");
  expect(second.logical_id).toBe(first.logical_id);
  expect(inputs[1]?.additional_context.map(({ id }) => id)).toEqual([feedback.id]);
  await clan.grant(second, "maintainer", "waiting");
  const approved = JSON.parse(
    await clan.need("approve", second.id, "--json", "--as", "Grace Hopper"),
  );
  expect(approved).toMatchObject({
    verdict: "approved",
    metadata: { summary: "Approved by Grace Hopper", by: "Grace Hopper" },
  });
  await clan.made(goal, (one) => one.type === "Book", "the book");
  expect((await clan.ended(first, "terminated")).claim.termination_reason).toBe(
    "Feedback from maintainer",
  );
  await clan.ended(second, "complete");
  expect(await clan.stateOf(goal)).toBe("achieved");
  const log = await clan.need("watch", "--no-follow");
  expect(log).toMatch(
    /notes the bids on claim \w+: maintainer review, printer exclusive, ignored by writer\n/,
  );
  expect(log).toContain(`asks maintainer to approve or reject ${second.id.slice(0, 8)}`);
  expect(log).toMatch(/Grace Hopper +reviews claim/);
}, 120_000);

nightly(
  "a verdict does not promise that work goes on while the instance is paused, or while no orchestrator is running",
  async () => {
    await using clan = await Sett.start(at, publishers().members);
    const [first, second] = [await clan.goal(), await clan.goal()];
    const drafts = [
      await clan.made(first, isDraft(1)),
      await clan.made(second, isDraft(1)),
    ] as const;
    for (const draft of drafts) await clan.grant(draft, "maintainer", "waiting");
    await clan.need("pause", "--as", "Grace Hopper");
    const paused = await clan.sett("approve", drafts[0].id);
    expect(paused.err).toMatch(
      /for maintainer; work goes on when the instance is resumed \(paused by Grace Hopper, /,
    );
    expect(paused.err).toContain(`sett resume --name ${clan.instance}`);
    await clan.need("resume");
    await clan.untilUnled();
    const alone = await clan.sett("reject", drafts[1].id, "--reason", "Too short");
    expect(alone.err).toContain("for maintainer; work goes on when an orchestrator runs again (");
  },
  120_000,
);

describe("a verdict that no grant waits for", () => {
  test("is refused with who has given it before, and with what is waited for instead", async () => {
    const { members } = publishers({ silent: { bids_by_command: true } });
    await using clan = await Sett.start(at, members);
    const goal = await clan.goal();
    const refused = async (id: string, ...words: string[]) => {
      const { code, out, err } = await clan.sett("approve", id, ...words);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      return err;
    };
    const claim = await clan.claimOn(goal);
    expect(await refused(goal.id)).toContain("it waits for the bid of `silent`, ");
    const silent = await clan.board.placeBid({
      claim: claim.claim.id,
      agent: "silent" as never,
      word: "ignore",
    });
    expect(silent.outcome).toBe("placed");
    const draft = await clan.made(goal, isDraft(1));
    const { claim: open } = await clan.claimOn(draft);
    await clan.board.placeBid({ claim: open.id, agent: "silent" as never, word: "ignore" });
    await clan.grant(draft, "maintainer", "waiting");
    await clan.ended(goal, "complete");
    expect(await refused(goal.id)).toMatch(
      /GoalDefined \w{8} does not wait for a person's verdict: its claim \w{8} is complete\./,
    );
    expect(await refused(draft.id, "--for", "printer")).toContain(
      "does not wait for printer, but for maintainer.",
    );

    const review = (await clan.need("approve", draft.id, "--for", "maintainer")).trim();
    expect(await refused(draft.id)).toMatch(
      /has a verdict already: Ada Lovelace <ada@sett.invalid>, for maintainer, approved it (just now|\w+ ago)\./,
    );
    expect((await clan.sett("approve", review)).err).toContain(
      "is not a result to judge: it is Review",
    );
    const unknown = await clan.sett("approve", crypto.randomUUID());
    expect({ code: unknown.code, err: unknown.err }).toEqual({
      code: 1,
      err: expect.stringContaining("There is no artefact"),
    });
    expect((await clan.sett("approve", "12")).code).toBe(2);
    expect((await clan.sett("approve")).code).toBe(2);
  }, 120_000);

  nightly(
    "is refused for a goal that was cancelled",
    async () => {
      await using clan = await Sett.start(at, publishers().members);
      const goal = await clan.goal();
      const draft = await clan.made(goal, isDraft(1));
      await clan.grant(draft, "maintainer", "waiting");
      await clan.need("cancel", goal.id);
      const { code, err } = await clan.sett("approve", draft.id);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining(`its goal ${goal.id.slice(0, 8)} has ended (cancelled).`),
      });
    },
    120_000,
  );
});

nightly(
  "a verdict names one of several people who are waited for, unless one is left; all of them count",
  async () => {
    const { members } = publishers({
      editor: { human: true, ...bids({ on: "Draft", bid: "review" }) },
    });
    await using clan = await Sett.start(at, members);
    const goal = await clan.goal();
    const draft = await clan.made(goal, isDraft(1));
    await clan.grant(draft, "maintainer", "waiting");
    const { code, err } = await clan.sett("approve", draft.id);
    expect(code).toBe(2);
    expect(err).toContain(`Draft ${draft.id.slice(0, 8)} waits for 2 people: editor, maintainer.`);
    expect(err).toContain("--for editor");
    await clan.need("approve", draft.id, "--for", "editor");
    expect((await clan.sett("approve", draft.id, "--for", "editor")).err).toContain(
      "for editor, approved it",
    );
    expect((await clan.claimOn(draft)).claim.status).toBe("pending_review");
    // One is left, so that no name is needed.
    await clan.need("reject", draft.id, "--reason", "Too short");
    await clan.made(goal, isDraft(2), "the second version");
    expect((await clan.sett("reject", draft.id, "--reason", "Too long")).err).toContain(
      "rejected it",
    );
  },
  120_000,
);

test("of two people who judge at the same time one wins, and the other learns who", async () => {
  await using clan = await Sett.start(at, publishers().members);
  const goal = await clan.goal();
  const draft = await clan.made(goal, isDraft(1));
  await clan.grant(draft, "maintainer", "waiting");
  const both = await Promise.all([
    clan.sett("approve", draft.id, "--as", "Ada"),
    clan.sett("reject", draft.id, "--reason", "No", "--as", "Grace"),
  ]);
  expect(both.map(({ code }) => code).toSorted()).toEqual([0, 1]);
  const [winner, loser] = both[0].code === 0 ? ["Ada", both[1]] : ["Grace", both[0]];
  expect(loser.err).toContain(`has a verdict already: ${winner}, for maintainer, `);
  const { grants } = await clan.claimOn(draft);
  const reviews = await clan.board.readArtefacts(
    grants.flatMap((grant) => ("artefact_ids" in grant ? grant.artefact_ids : [])),
  );
  expect(reviews.filter(({ structural_type }) => structural_type === "Review")).toHaveLength(1);
}, 120_000);

test("an artefact that a person has overwritten by hand is not approved", async () => {
  await using clan = await Sett.start(at, publishers().members);
  const goal = await clan.goal();
  const draft = await clan.made(goal, isDraft(1));
  await clan.grant(draft, "maintainer", "waiting");
  await at.redis.cli(
    "HSET",
    `sett:${clan.instance}:artifact:${draft.id}`,
    "payload",
    "something else",
  );
  const { code, err } = await clan.sett("approve", draft.id);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(
      "was overwritten by hand: it is not what was stored. Nothing was done.",
    ),
  });
  expect(
    (await clan.claimOn(draft)).grants.find(({ agent }) => agent === "maintainer")?.state,
  ).toBe("waiting");
}, 120_000);

test("a rejection has a reason: on the command line or on stdin, and never an empty one", async () => {
  await using clan = await Sett.start(at, publishers().members);
  const goal = await clan.goal();
  const draft = await clan.made(goal, isDraft(1));
  await clan.grant(draft, "maintainer", "waiting");
  for (const words of [[], ["--reason", ""], ["--reason", " \n"]])
    expect((await clan.sett("reject", draft.id, ...words)).code).toBe(2);
  const surroundings = { cwd: at.folder, env: { ...at.env, SETT_INSTANCE_NAME: clan.instance } };
  const binary = await runSett(["reject", draft.id, "--reason", "-"], {
    ...surroundings,
    stdin: new Uint8Array([0xff, 0xfe]),
  });
  expect({ code: binary.code, err: binary.err }).toEqual({
    code: 2,
    err: expect.stringContaining("UTF-8"),
  });
  const text = "Zu kurz:\n“Tür”\n";
  const { code, out } = await runSett(["reject", draft.id, "--reason", "-"], {
    ...surroundings,
    stdin: text,
  });
  expect(code).toBe(0);
  const payload = JSON.parse(await clan.need("unearth", out.trim(), "--payload"));
  expect(isDeepStrictEqual(payload, { reason: text })).toBe(true);
}, 120_000);

test("only the people that an agent names speak for it, and what they say with an approval is on record", async () => {
  const { members } = publishers();
  const owners = [{ name: "ada", email: "ada@example.org" }, { name: "bob" }];
  await using clan = await Sett.start(at, {
    ...members,
    maintainer: { ...maintainer, people: owners },
  });
  const goal = await clan.postGoal("A book");
  const draft = await clan.made(goal, isDraft(1));
  await clan.grant(draft, "maintainer", "waiting");
  const refused = await clan.sett("approve", draft.id, "--as", "Eve");
  expect({ code: refused.code, err: refused.err }).toEqual({
    code: 1,
    err: expect.stringMatching(
      /Draft \w+ waits for maintainer \(ada, bob\), and Eve is none of them\.\n.*`people` in sett\.yml/,
    ),
  });
  expect((await clan.sett("reject", draft.id, "--reason", "No", "--as", "Eve")).code).toBe(1);
  const empty = await clan.sett("approve", draft.id, "--as", "bob", "--reason", " ");
  expect(empty.err).toContain("The reason is empty.");
  const review = JSON.parse(
    await clan.need("approve", draft.id, "--as", "bob", "--reason", "Good.\nPrint it.", "--json"),
  );
  expect(review).toMatchObject({
    verdict: "approved",
    metadata: { by: "bob", comment: "Good.\nPrint it.", summary: "Approved by bob: Good." },
  });
  await clan.made(goal, ({ type }) => type === "Book");
});
