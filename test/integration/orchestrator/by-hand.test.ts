// Taking part with nothing but redis-cli: the commands of docs/guides/by-hand.md, typed at a real
// Redis with a real orchestrator beside it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { $ } from "bun";
import { accessOf, aclRules } from "../../../lib/blackboard/redis/access.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { defaultPolicy } from "../../../lib/model/policy.ts";
import { blocksOf, readPage } from "../../support/docs/pages.ts";
import { startService } from "../../support/process/service-process.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

const blocks = blocksOf(readPage("docs/guides/by-hand.md"))
  .filter(({ language }) => language === "sh")
  .map(({ code }) => code);
const blockWith = (part: string) => blocks.find((code) => code.includes(part)) ?? "";
/** The blocks come in the order of the page. An agent does this by mail: */
const newest = blockWith("agent XREVRANGE");
const [newestAgain = ""] = blockWith("until newest").split("\n");
const say = blockWith("say() {");
const bidByMail = blockWith('\\"bid\\"');
const waitForGrant = blockWith("until grant |");
const [grantAgain = ""] = waitForGrant.split("\n");
const read = blockWith("payload\n");
const [start = "", renew = "", result = ""] = ["started", "alive", "result"].map((word) =>
  blockWith(`\\"${word}\\"`),
);
/** The owner writes this: */
const post = blockWith("PUBLISH");

const redis = await startRedisServer();
const instance = InstanceName.parse("demo");
const board = await connectBlackboard({ url: redis.url, instance, ...patient });
const stop = new AbortController();
const orchestrator = startService("orchestrator", {
  SETT_INSTANCE_NAME: instance,
  REDIS_URL: redis.url,
  SETT_HEALTH_PORT: "0",
  // What is typed here takes its time on a busy machine.
  SETT_POLICY: JSON.stringify({ ...defaultPolicy, bid_deadline_ms: 600_000 }),
  SETT_GRANT_LEASE: "10m",
});

beforeAll(async () => {
  const approver = sampleAgent("approver", { external: true, on_missing_bid: "ignore" });
  const rights = aclRules(accessOf({ role: "agent", agent: approver.name }, instance));
  await redis.cli("ACL", "SETUSER", "agent-approver", "on", ">secret", ...rights);
  await board.registerAgents(
    [sampleAgent("writer", { bids_by_command: true }), approver],
    "person:Ada",
    { exact: true },
  );
  const writer = playAgent(
    board,
    "writer",
    {
      bid: ({ type, payload }) =>
        type === "GoalDefined" && payload !== "for the approver" ? "exclusive" : "ignore",
      work: ({ logical_id, type, version }) =>
        type === "Draft" ? { logical_id, type, version: version + 1 } : { type: "Draft" },
    },
    stop.signal,
  );
  writer.catch(() => {});
});

afterAll(async () => {
  stop.abort();
  await board[Symbol.asyncDispose]();
  await orchestrator[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** A shell in which one types; what is said there is returned, and its variables stay. */
function shell() {
  let variables = "";
  return async (commands: string): Promise<string> => {
    const tell = `printf '\\n%s\\n' "claim=$claim artefact=$artefact id=$id"`;
    const here = [
      `name=${instance} mine=sett:${instance}:agent:approver`,
      `board() { redis-cli -p ${redis.port} "$@"; }`,
      `agent() { redis-cli --no-auth-warning -p ${redis.port} --user agent-approver --pass secret "$@"; }`,
      ...[newestAgain, say, grantAgain, variables],
    ];
    const said = (await $`sh -c ${[...here, commands, tell].join("\n")}`.text())
      .trimEnd()
      .split("\n");
    variables = said.pop() ?? "";
    return said.join("\n").trim();
  };
}
type Typed = ReturnType<typeof shell>;

async function postGoal(typed: Typed, text: string): Promise<GoalId> {
  await typed(`id=$(cat /proc/sys/kernel/random/uuid)
board HSET sett:demo:artifact:$id id $id logical_id $id version 1 structural_type Standard type GoalDefined payload '${text}' \\
  source_artefacts '[]' produced_by_role user`);
  const goal = GoalId.parse(await typed("echo $id"));
  // No orchestrator may listen yet.
  await waitFor("the goal", async () => {
    await typed("board PUBLISH sett:demo:artefact_events $id");
    return (await eventsOf(goal, "artefact_created")).length > 0;
  });
  return goal;
}

const bidOnBefore = new Set<string>();

/**
 * Types the page's first command until it shows another claim on an artefact of that type, then
 * bids on it.
 */
async function bidOn(typed: Typed, type: string, word: string): Promise<string> {
  const claim = await waitFor(
    `a claim on ${type}`,
    async () => {
      const [, , id = "", , about] = (await typed(newest)).split("\n");
      return about?.includes(`"type":"${type}"`) && !bidOnBefore.has(id) && id;
    },
    { everyMs: 50 },
  );
  bidOnBefore.add(claim);
  const answer = await typed(bidByMail.replace('\\"review\\"', `\\"${word}\\"`));
  expect(await typed("echo $claim")).toBe(claim);
  return answer;
}

const eventsOf = async (goal: GoalId, type: SettEvent["type"]) =>
  (await board.readEvents("0", 10_000)).filter(
    (event) => event.goal_id === goal && event.type === type,
  );

const artefactsOf = async (goal: GoalId): Promise<Artefact[]> =>
  board.readArtefacts(await board.listArtefactsOfGoal(goal));

const ended = (goal: GoalId, claims: number) =>
  waitFor(
    "the claims to end",
    async () => {
      const all = [
        ...(await eventsOf(goal, "claim_completed")),
        ...(await eventsOf(goal, "claim_terminated")),
      ];
      return all.length === claims;
    },
    { everyMs: 50 },
  );

describe("an agent with redis-cli, which has its own user of Redis", () => {
  test("reviews a draft by mail with the page's commands, and the claim goes on", async () => {
    const typed = shell();
    const goal = await postGoal(typed, "a letter by mail");
    await bidOn(typed, "GoalDefined", "ignore");
    expect(await bidOn(typed, "Draft", "review")).toBe('{"outcome":"yes","word":"review"}');
    await typed(waitForGrant);
    expect(await typed(read)).toBe((await artefactsOf(goal))[1]?.payload ?? "");
    for (const commands of [start, renew, result])
      expect(await typed(commands)).toBe('{"outcome":"yes"}');
    await ended(goal, 2);
    const [, draft, review] = await artefactsOf(goal);
    expect(review).toMatchObject({
      structural_type: "Review",
      source_artefacts: [draft?.id],
      produced_by_agent: "approver",
    });
    for (const type of ["grant_started", "grant_done"] as const) {
      const [, event] = await eventsOf(goal, type);
      expect(event).toMatchObject({ actor: "agent:approver", agent: "approver" });
    }

    // The grant has ended.
    const refused = { outcome: "no", reason: expect.any(String) };
    expect(JSON.parse(await typed(renew))).toEqual(refused);
    // This is no message.
    expect(JSON.parse(await typed(`say '{"say":"nothing"}'`))).toEqual(refused);
    const refusal = await waitFor("the refusal", async () =>
      (await board.readEvents("0", 10_000)).find(({ type }) => type === "mail_refused"),
    );
    expect(refusal).toMatchObject({ agent: "approver", data: { count: 1 } });
  }, 600_000);
});

describe("the owner with redis-cli", () => {
  test("what the owner writes and publishes is adopted, and agents work on it", async () => {
    const typed = shell();
    const goal = await postGoal(typed, "a letter");
    await bidOn(typed, "GoalDefined", "ignore");
    await bidOn(typed, "Draft", "ignore");
    await ended(goal, 2);
    await typed(`${read}\n${post}`);
    await bidOn(typed, "Note", "exclusive");
    await typed(`${waitForGrant}\n${result.replace("Review", "Report")}`);
    await bidOn(typed, "Report", "ignore");
    await ended(goal, 4);
    const [, draft, note, report] = await artefactsOf(goal);
    expect(note).toMatchObject({
      type: "Note",
      payload: "Ada has moved",
      goal_id: goal,
      source_artefacts: [draft?.id],
      produced_by_role: "secretary",
      produced_by_agent: "",
    });
    expect(report).toMatchObject({ source_artefacts: [note?.id], produced_by_agent: "approver" });
    const [, , created] = await eventsOf(goal, "artefact_created");
    expect(created).toMatchObject({ actor: "hand", artefact_id: note?.id });
  }, 600_000);

  test("what is refused is adopted once it is corrected and published again", async () => {
    const typed = shell();
    const goal = await postGoal(typed, "another letter");
    await typed(`artefact=${goal}\n${post.replace("role secretary", "role writer")}`);
    const id = await typed("echo $id");
    const refusal = await waitFor("the refusal", async () =>
      (await board.readEvents("0", 10_000)).find(({ type }) => type === "artefact_refused"),
    );
    expect(refusal).toMatchObject({
      actor: "hand",
      artefact_id: id,
      data: { reason: expect.stringContaining("writer is the role of an agent") },
    });
    await typed(`board HSET sett:demo:artifact:$id produced_by_role secretary
board PUBLISH sett:demo:artefact_events $id`);
    await waitFor("the note", async () => (await artefactsOf(goal)).some((one) => one.id === id));
  }, 600_000);
});
