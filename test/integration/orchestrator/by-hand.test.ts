// Taking part with nothing but redis-cli: the commands of docs/guides/by-hand.md, typed at a real
// Redis with a real orchestrator beside it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { $ } from "bun";
import { accessOf, aclRules } from "../../../lib/blackboard/redis/access.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { GoalId, InstanceName } from "../../../lib/model/ids.ts";
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
const bid = blockWith("approver review");
const wait = blockWith("until granted");
const post = blockWith("PUBLISH");

const redis = await startRedisServer();
const instance = InstanceName.parse("demo");
const board = await connectBlackboard({ url: redis.url, instance, ...patient });
const stop = new AbortController();
const orchestrator = startService("orchestrator", {
  SETT_INSTANCE_NAME: instance,
  REDIS_URL: redis.url,
  SETT_HEALTH_PORT: "0",
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
  source_artefacts '[]' produced_by_role user
board PUBLISH sett:demo:artefact_events $id`);
  return GoalId.parse(await typed("echo $id"));
}

const bidOnBefore = new Set<string>();

/**
 * Types the page's first command until it shows another claim on an artefact of that type, then
 * bids on it.
 */
async function bidOn(typed: Typed, type: string, word: string, how = bid): Promise<string> {
  const claim = await waitFor(
    `a claim on ${type}`,
    async () => {
      const [, , id = "", , about] = (await typed(newest)).split("\n");
      return about?.includes(`"type":"${type}"`) && !bidOnBefore.has(id) && id;
    },
    { everyMs: 50 },
  );
  bidOnBefore.add(claim);
  const answer = await typed(how.replace("approver review", `approver ${word}`));
  expect(await typed("echo $claim")).toBe(claim);
  return answer;
}

const granted = (typed: Typed, field: string) =>
  typed(wait.replace("granted_review_agents", field));

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
    expect(await bidOn(typed, "Draft", "review", bidByMail)).toBe(
      '{"outcome":"yes","word":"review"}',
    );
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
    // What is no message.
    expect(JSON.parse(await typed(`say '{"say":"nothing"}'`))).toEqual(refused);
    const refusal = await waitFor("the refusal", async () =>
      (await board.readEvents("0", 10_000)).find(({ type }) => type === "mail_refused"),
    );
    expect(refusal).toMatchObject({ agent: "approver", data: { count: 1 } });
  }, 120_000);
});

describe("a person with redis-cli", () => {
  test("reviews a draft with the page's commands, and the claim goes on", async () => {
    const typed = shell();
    const goal = await postGoal(typed, "a letter");
    await bidOn(typed, "GoalDefined", "ignore");
    await bidOn(typed, "Draft", "review");
    await granted(typed, "granted_review_agents");
    expect(await typed(read)).toBe((await artefactsOf(goal))[1]?.payload ?? "");
    await typed(post);
    await ended(goal, 2);
    const [, draft, review] = await artefactsOf(goal);
    expect(review).toMatchObject({
      structural_type: "Review",
      payload: "{}",
      goal_id: goal,
      source_artefacts: [draft?.id],
      produced_by_agent: "approver",
    });
    const [, done] = await eventsOf(goal, "grant_done");
    expect(done).toMatchObject({ actor: "hand", agent: "approver", artefact_id: review?.id });
    expect(await eventsOf(goal, "claim_terminated")).toEqual([]);

    // Posting twice is once too often.
    await typed(post);
    const refusal = await waitFor(
      "the refusal",
      async () => (await eventsOf(goal, "result_refused"))[0],
      { everyMs: 50 },
    );
    expect(refusal).toMatchObject({
      actor: "hand",
      agent: "approver",
      data: { reason: expect.stringContaining("has ended") },
    });
    expect(await artefactsOf(goal)).toHaveLength(3);
  }, 120_000);

  test("sends a draft back, and the agent's next version comes round again", async () => {
    const typed = shell();
    const goal = await postGoal(typed, "another letter");
    await bidOn(typed, "GoalDefined", "ignore");
    await bidOn(typed, "Draft", "review");
    await granted(typed, "granted_review_agents");
    await typed(`${read}\n${post.replace("payload '{}'", "payload 'Too short'")}`);
    const [reworked] = await waitFor(
      "the next version",
      async () => {
        const second = (await artefactsOf(goal)).filter(({ version }) => version === 2);
        return second.length > 0 && second;
      },
      { everyMs: 50 },
    );
    expect(reworked).toMatchObject({ type: "Draft", produced_by_agent: "writer" });
    await bidOn(typed, "Draft", "ignore");
    await ended(goal, 4);
  }, 120_000);

  test("does the work itself, and fails at it when that is what came of it", async () => {
    for (const [kind, summary] of [
      ["Standard", "{}"],
      ["Failure", '{"summary":"No ink"}'],
    ] as const) {
      const typed = shell();
      const goal = await postGoal(typed, "for the approver");
      await bidOn(typed, "GoalDefined", "exclusive");
      await granted(typed, "granted_exclusive_agent");
      await typed(
        `${read}\n${post.replace("structural_type Review type Review", `structural_type ${kind} type Letter metadata '${summary}'`)}`,
      );
      if (kind === "Standard") {
        await bidOn(typed, "Letter", "ignore");
        await ended(goal, 2);
        expect((await eventsOf(goal, "claim_completed")).length).toBe(2);
      } else {
        await ended(goal, 1);
        const [failed] = await eventsOf(goal, "grant_failed");
        expect(failed).toMatchObject({
          actor: "hand",
          agent: "approver",
          data: { reason: "No ink" },
        });
      }
    }
  }, 120_000);
});
