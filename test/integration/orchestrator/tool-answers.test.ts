// Answers that do not fit the question: reviews of every shape, reviewers and reworkers that do
// something else, tools that do not listen.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { maxTextDepth } from "../../../lib/model/text-problem.ts";
import { nightly } from "../../support/nightly.ts";
import { startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

/** Prints the goal's payload as its own. */
const writer = {
  bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
  script:
    'jq -c \'{artefact_type: "Draft", artefact_payload: .target_artefact.payload, summary: ""}\'',
};
/** Prints what the draft holds. */
const reviewer = {
  bids: [{ on: "Draft", bid: "review" as const }],
  script: "jq -r .target_artefact.payload",
};
const ends = (artefacts: readonly Artefact[]) =>
  artefacts.map(({ structural_type, type }) => `${structural_type} ${type}`);
const draft = ["Standard GoalDefined", "Standard Draft"];

nightly(
  "of all that a review can hold only {} and [] approve; whatever else there is to JSON is feedback",
  async () => {
    await using clan = await startClan({ writer, reviewer }, { policy: { review_rounds: 0 } });
    const approving = ["{}", "[]", " { } ", '"{}"', '" [ ] "'];
    const rejecting = [
      "null",
      "true",
      "false",
      "0",
      "42",
      "-1.5e3",
      '""',
      '" "',
      '"good"',
      '"null"',
      '{"a":1}',
      "[[]]",
      "[{}]",
      "[null]",
      '{"":{}}',
      '"{} {}"',
    ];
    const verdictOf = async (payload: string) => {
      const artefacts = await clan.settled(
        await clan.postGoal(`{"structural_type":"Review","payload":${payload}}`),
      );
      return [payload, ends(artefacts)];
    };
    const verdicts = await Promise.all([...approving, ...rejecting].map(verdictOf));
    expect(verdicts).toEqual([
      ...approving.map((payload) => [payload, [...draft, "Review Review"]]),
      ...rejecting.map((payload) => [
        payload,
        [...draft, "Review Review", "Failure ReviewRoundsExceeded"],
      ]),
    ]);
  },
);

nightly(
  "whatever else a tool answers a review with is a Review, or a Failure that says what is wrong with it",
  async () => {
    await using clan = await startClan({ writer, reviewer }, { policy: { review_rounds: 0 } });
    const answered = async (answer: string) => {
      const artefacts = await clan.settled(await clan.postGoal(answer));
      return [...ends(artefacts).slice(2), artefacts[2]?.metadata.summary];
    };
    const full = (more: string) =>
      `{"artefact_type":"Patch","artefact_payload":{},"summary":"new"${more}}`;
    expect(await answered(full(""))).toEqual(["Review Patch", "new"]);
    expect(await answered(full(',"structural_type":"Terminal"'))).toEqual(["Review Patch", "new"]);
    expect(
      await answered(full(',"structural_type":"Standard"').replace("{}", '"mend it"')),
    ).toEqual([...["Review Patch", "Failure ReviewRoundsExceeded"], "new"]);
    expect(await answered(full(',"structural_type":"Failure"'))).toEqual(["Failure Patch", "new"]);
    const broken = "Failure ToolExecutionFailure";
    expect(await answered("Looks good to me")).toEqual([
      broken,
      expect.stringContaining("not JSON"),
    ]);
    expect(await answered("{}")).toEqual([
      broken,
      expect.stringContaining("`artefact_type` is missing"),
    ]);
    expect(await answered(full(',"structural_type":"Opinion"'))).toEqual([
      broken,
      expect.stringContaining("structural_type"),
    ]);
    expect(await answered("")).toEqual([broken, expect.stringContaining("wrote nothing")]);
    // And after all that:
    expect(await answered('{"structural_type":"Review","payload":{}}')).toEqual([
      "Review Review",
      undefined,
    ]);
  },
);

test("a rework is the next version in thread and type, or a Failure that says why not", async () => {
  const reworker = {
    bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
    script: `input=$(cat); case "$(echo "$input" | jq -r '.target_artefact | .type + " " + .payload')" in
      "GoalDefined "*) echo "$input" | jq -c '{artefact_type: "Draft", artefact_payload: .target_artefact.payload, summary: ""}' ;;
      "Draft fail") echo '{"artefact_type":"Draft","artefact_payload":"","summary":"No.","structural_type":"Failure"}' ;;
      "Draft review") echo '{"structural_type":"Review","payload":{}}' ;;
      "Draft end") echo '{"artefact_type":"Draft","artefact_payload":"unseen","summary":"","structural_type":"Terminal"}' ;;
      "Draft poem") echo '{"artefact_type":"Poem","artefact_payload":"better","summary":""}' ;;
      *) echo '{"artefact_type":"Draft","artefact_payload":"better","summary":""}' ;;
    esac`,
  };
  const critic = {
    bids: [{ on: "*", from: "writer", bid: "review" as const }],
    script: `jq -c '{structural_type: "Review", payload: (if .target_artefact.version == 1 then "again" else {} end)}'`,
  };
  await using clan = await startClan({ writer: reworker, critic });
  const [, first, , second, ...rest] = await clan.settled(await clan.postGoal("improve"));
  expect(second).toMatchObject({
    logical_id: first?.id,
    version: 2,
    type: "Draft",
    payload: "better",
    produced_by_agent: "writer",
  });
  expect(ends(rest)).toEqual(["Review Review"]);

  const [, , , failure, ...more] = await clan.settled(await clan.postGoal("fail"));
  expect(failure).toMatchObject({
    structural_type: "Failure",
    version: 1,
    metadata: { summary: "No." },
  });
  expect(more).toEqual([]);

  const [, , , other, ...others] = await clan.settled(await clan.postGoal("review"));
  expect(other).toMatchObject({ structural_type: "Failure", type: "ToolExecutionFailure" });
  expect(others).toEqual([]);

  const [, , , poem, ...noMore] = await clan.settled(await clan.postGoal("poem"));
  const why =
    "The tool must print a new version of its Draft, and printed the type Poem. A new version must have the same type.";
  expect(poem).toMatchObject({
    structural_type: "Failure",
    type: "ToolExecutionFailure",
    metadata: { summary: why },
  });
  expect(noMore).toEqual([]);

  // The reviewers would never see it.
  const [, , , end, ...nothing] = await clan.settled(await clan.postGoal("end"));
  expect(end).toMatchObject({ structural_type: "Failure", type: "ToolExecutionFailure" });
  expect(end?.metadata.summary).toBe(
    "The tool must print a new version of its Draft, and printed a Terminal. Reviewers check the new version first, so print it as Standard.",
  );
  expect(nothing).toEqual([]);
});

nightly(
  "a script that never reads stdin gets its work done, however much is sent to it",
  async () => {
    const deaf = {
      bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
      script: `echo '{"artefact_type":"Report","artefact_payload":"done","summary":""}'`,
    };
    const closing = {
      bids: [{ on: "Report", bid: "exclusive" as const }],
      script: `exec 0<&-; sleep 0.2; echo '{"artefact_type":"Seen","artefact_payload":"","summary":""}'`,
    };
    await using clan = await startClan({ deaf, closing });
    const goal = await clan.postGoal("x".repeat(10_000_000));
    expect((await clan.settled(goal)).map(({ type }) => type)).toEqual([
      "GoalDefined",
      "Report",
      "Seen",
    ]);
  },
);

test("metadata nested as deep as a tool may print them are on record", async () => {
  let metadata: Record<string, unknown> = {};
  for (let depth = 1; depth < maxTextDepth; depth++) metadata = { in: metadata };
  const answer = { artefact_type: "Deep", artefact_payload: "", summary: "", metadata };
  await using clan = await startClan({ nester: { bids: writer.bids, tool: () => answer } });
  const made = await clan.made(await clan.postGoal(), () => true);
  expect(made).toMatchObject({ type: "Deep", metadata });
});
