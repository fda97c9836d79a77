// The checker finds nothing in a history that came about by the rules, and every damage done to it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { ArtefactId, InstanceName } from "../../lib/model/ids.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
import { sampleAgent, sampleArtefact } from "../support/records/sample.ts";
import { patient } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { brokenMark, clan, expectedGraph, graphOf } from "./clan.ts";
import { actorDamages } from "./damages/actor-damages.ts";
import { artefactDamages } from "./damages/artefact-damages.ts";
import { attemptDamages } from "./damages/attempt-damages.ts";
import { bidDamages } from "./damages/bid-damages.ts";
import { claimDamages } from "./damages/claim-damages.ts";
import { goalDamages } from "./damages/goal-damages.ts";
import { grantDamages } from "./damages/grant-damages.ts";
import { stranger } from "./damages/hand.ts";
import { leftoverDamages } from "./damages/leftover-damages.ts";
import { logDamages } from "./damages/log-damages.ts";
import { orderDamages } from "./damages/order-damages.ts";
import { peopleDamages } from "./damages/people-damages.ts";
import { questionDamages } from "./damages/question-damages.ts";
import { replayDamages } from "./damages/replay-damages.ts";
import { resultDamages } from "./damages/result-damages.ts";
import { retryDamages } from "./damages/retry-damages.ts";
import { standInDamages } from "./damages/stand-in-damages.ts";
import { type History, readHistory } from "./history.ts";
import { checkHistory, ruleNames } from "./history-checker.ts";
import { People } from "./people.ts";
import { randomOf } from "./random.ts";
import { Retrier } from "./retrier.ts";
import { startWorld, type World } from "./world.ts";

const damages = [
  ...claimDamages,
  ...bidDamages,
  ...grantDamages,
  ...questionDamages,
  ...artefactDamages,
  ...resultDamages,
  ...attemptDamages,
  ...logDamages,
  ...orderDamages,
  ...actorDamages,
  ...peopleDamages,
  ...goalDamages,
  ...leftoverDamages,
  ...replayDamages,
];

let world: World;
let history: History;
const goal = sampleArtefact();

const read = () => readHistory(world.redis.url, world.board.instance);

async function stateAndWait(): Promise<void> {
  const atRest = new AbortController();
  const answering = new People(world.board, randomOf(0)).run(atRest.signal);
  await world.board.createArtefact(goal, "person:test");
  const isReached = async () =>
    (await world.board.listArtefactsOfGoal(goal.goal_id)).length > expectedGraph.length;
  await waitFor("the goal", isReached);
  await waitFor(
    "rest",
    async () =>
      (await world.board.listOpenClaims()).length === 0 && (await read()).due.length === 0,
  );
  atRest.abort();
  await answering;
}

beforeAll(async () => {
  // A failed first attempt, so that there is a second.
  world = await startWorld({ seed: 0, failShare: (agent) => (agent === "tester" ? 1 : 0) });
  await stateAndWait();
  history = await read();
}, 300_000);

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await world.forgetLogs();
});

test("a goal that was worked on without faults breaks no rule and comes to the expected graph", () => {
  expect(checkHistory(history)).toEqual([]);
  expect(graphOf(history, goal.id)).toEqual([...expectedGraph]);
  expect(history.events.filter(({ type }) => type === "grant_retrying")).toHaveLength(1);
});

test("a history is of one moment: it holds exactly what its log mentions, even if more is written meanwhile", async () => {
  const stop = new AbortController();
  const instance = InstanceName.parse("busy");
  await using board = await connectBlackboard({ url: world.redis.url, instance, ...patient });
  let stated = 0;
  const writing = Array.from({ length: 2 }, async () => {
    while (!stop.signal.aborted) {
      await board.createArtefact(sampleArtefact(), "person:test");
      stated += 1;
    }
  });
  for (let reads = 0; reads < 10; reads += 1) {
    const soFar = stated;
    await waitFor("another goal", () => stated > soFar);
    const { events, artefacts } = await readHistory(world.redis.url, instance);
    const logged = events.flatMap(({ type, artefact_id }) =>
      type === "artefact_created" ? [String(artefact_id)] : [],
    );
    expect([...artefacts.keys()].toSorted()).toEqual(logged.toSorted());
  }
  stop.abort();
  await Promise.all(writing);
}, 300_000);

describe("of each damage", () => {
  test.each(damages)("%s notices %s", (rule, _title, damage) => {
    const damaged = structuredClone(history);
    damage(damaged);
    expect(checkHistory(damaged).map((violation) => violation.rule)).toContain(rule);
  });

  test("reworksStayWithinTheirLimit notices one rework where none is allowed", () => {
    const violations = checkHistory(history, { ...defaultPolicy, review_rounds: 0 });
    expect(violations.map(({ rule }) => rule)).toEqual(["reworksStayWithinTheirLimit"]);
  });

  test("an attempt that waits for the next one may be ended by the orchestrator, and by no agent", () => {
    const failed = history.events.find(
      ({ type, agent }) => type === "grant_failed" && agent === "tester",
    );
    const rulesAfter = (actor: string) => {
      const damaged = structuredClone(history);
      const at = damaged.events.findIndex(({ type }) => type === "grant_retrying") + 1;
      damaged.events.splice(
        at,
        0,
        ...[failed ?? []]
          .flat()
          .map((event) => ({ ...event, actor, artefact_id: ArtefactId.parse(stranger) })),
      );
      return checkHistory(damaged).map(({ rule }) => rule);
    };
    expect(rulesAfter("orchestrator:one")).not.toContain("noAttemptHasTwoResults");
    expect(rulesAfter("agent:tester")).toContain("noAttemptHasTwoResults");
  });

  test("there is an example for every rule", () => {
    const seen = new Set(
      [...damages, ...retryDamages, ...standInDamages].map(([rule]) => rule),
    ).add("reworksStayWithinTheirLimit");
    expect([...seen].toSorted()).toEqual([...ruleNames].toSorted());
  });
});

test("a retry of work that had failed for good breaks no rule, and damage to it is noticed", async () => {
  const over = new AbortController();
  const broken = brokenMark(world.folder, "secrets");
  const retrier = new Retrier(world.board, () => !existsSync(broken));
  const doings = [new People(world.board, randomOf(1)).run(over.signal), retrier.run(over.signal)];
  const failing = sampleArtefact();
  await writeFile(broken, "");
  await world.board.createArtefact(failing, "person:test");
  await waitFor("it to fail for good", () => !retrier.isIdle);
  await rm(broken);
  const isReached = async () => graphOf(await read(), failing.id).length === expectedGraph.length;
  await waitFor("the goal", isReached, { everyMs: 100 });
  await waitFor(
    "rest",
    async () =>
      (await world.board.listOpenClaims()).length === 0 && (await read()).due.length === 0,
  );
  over.abort();
  await Promise.all(doings);
  const after = await read();
  expect(checkHistory(after)).toEqual([]);
  expect(graphOf(after, failing.id)).toEqual([...expectedGraph]);
  const rulesAfterLess = checkHistory(withFewerRetries(after, "tester")).map(({ rule }) => rule);
  expect(rulesAfterLess).not.toContain("onlyTheCurrentAttemptCounts");
  for (const [rule, title, damage] of retryDamages) {
    const damaged = structuredClone(after);
    damage(damaged);
    const rules = checkHistory(damaged).map((violation) => violation.rule);
    expect({ title, rules }).toEqual({ title, rules: expect.arrayContaining([rule]) });
  }
}, 300_000);

/**
 * As if the agent, done with its work in the first try, had been registered anew before the second.
 */
function withFewerRetries(history: History, agent: string): History {
  const changed = structuredClone(history);
  const again = [...changed.claims.values()].find(
    ({ kind, grants }) => kind === "retry" && grants.some((one) => one.agent === agent),
  );
  expect(again?.grants.find((one) => one.agent === agent)).toMatchObject({
    state: "done",
    retries: 1,
  });
  const opening = changed.events.findIndex(
    ({ type, claim_id }) => type === "claim_opened" && claim_id === again?.id,
  );
  const registered = changed.events.filter(
    (event) => event.type === "agent_registered" && event.agent === agent,
  );
  changed.events.splice(opening, 0, ...structuredClone(registered));
  Object.assign(changed.agents.get(agent) ?? {}, { retries: 0 });
  return changed;
}

test("a rework by another agent than the one that has gone breaks no rule, and damage to it is noticed", async () => {
  const over = new AbortController();
  const answering = new People(world.board, randomOf(1)).run(over.signal);
  // The reviewer rejects the first version only after its producer was removed.
  const thaw = world.cubs.get("reviewer")?.freeze();
  const reviewed = sampleArtefact();
  await world.board.createArtefact(reviewed, "person:test");
  const made = await waitFor("the first version", async () => {
    const artefacts = await world.board.readArtefacts(
      await world.board.listArtefactsOfGoal(reviewed.goal_id),
    );
    return artefacts.find(({ type }) => type === "CodeCommit");
  });
  const left = clan.filter(({ name }) => name !== made.produced_by_agent);
  await world.board.registerAgents(left, "person:test", { exact: true });
  await (await thaw)?.();
  const isReached = async () => graphOf(await read(), reviewed.id).length === expectedGraph.length;
  await waitFor("the goal", isReached, { everyMs: 100 });
  await waitFor(
    "rest",
    async () =>
      (await world.board.listOpenClaims()).length === 0 && (await read()).due.length === 0,
  );
  await world.board.registerAgents(clan, "person:test", { exact: true });
  over.abort();
  await answering;
  const after = await read();
  expect(checkHistory(after)).toEqual([]);
  expect(graphOf(after, reviewed.id)).toEqual([...expectedGraph]);
  const makers = [...after.artefacts.values()].filter(
    ({ goal_id, type }) => goal_id === reviewed.goal_id && type === "CodeCommit",
  );
  expect(new Set(makers.map(({ produced_by_agent }) => produced_by_agent)).size).toBe(2);
  for (const [rule, title, damage] of standInDamages) {
    const damaged = structuredClone(after);
    damage(damaged);
    const rules = checkHistory(damaged).map((violation) => violation.rule);
    expect({ title, rules }).toEqual({ title, rules: expect.arrayContaining([rule]) });
  }
}, 300_000);

test("a grant that waits for a person is in no limbo, and neither is what the end of its goal leaves of it", async () => {
  const asking = sampleArtefact();
  await world.board.createArtefact(asking, "person:test");
  const waiting = await waitFor("the question", async () => {
    const now = await read();
    return now.openQuestions.length > 0 && now;
  });
  expect(checkHistory(waiting)).toEqual([]);
  await world.board.logEvent({ type: "cancel_requested", goal_id: asking.goal_id }, "person:test");
  await waitFor(
    "the end of its claim",
    async () => (await world.board.listOpenClaims()).length === 0,
  );
  const after = await read();
  expect(checkHistory(after)).toEqual([]);
  expect(after.openQuestions).toEqual([]);
  expect(after.events.filter(({ type }) => type === "question_closed")).toHaveLength(1);
});

test("a claim that waits for a silent agent is in no limbo", async () => {
  await world.board.registerAgents(
    [sampleAgent("silent", { bids_by_command: true })],
    "person:test",
    { exact: false },
  );
  await world.board.createArtefact(sampleArtefact(), "person:test");
  const waiting = await waitFor("all the others to bid", async () => {
    const now = await read();
    const open = now.openClaims
      .map((id) => now.claims.get(id))
      .find((claim) => claim?.bids.length === clan.length);
    return open && now;
  });
  expect(checkHistory(waiting)).toEqual([]);
});

test("what is done to an instance in Redis is noticed, too", async () => {
  const { redis, orchestrators, cubs } = world;
  // They would see to some of it before it is looked at. The silent agent never takes up its
  // wake-ups.
  for (const part of [...orchestrators.values(), ...cubs.values()]) part.freeze();
  const key = (name: string) => `sett:${world.board.instance}:${name}`;
  const claim =
    [...history.claims.values()].find(({ artefact_id }) => artefact_id === goal.id)?.id ?? "";
  const worker = String(history.claims.get(claim)?.grants[0]?.agent);
  const question = [...history.answers.keys()][0] ?? "";
  const created = history.events.find(({ type }) => type === "artefact_created")?.id ?? "";
  await redis.cli("ZADD", key("due:attempt"), "0", `attempt:${claim}:${worker}:1`);
  await redis.cli("ZADD", key("claims:open"), "0", claim);
  await redis.cli("RPUSH", key("agent:silent:grants"), claim);
  await redis.cli("HSET", key(`claim:${claim}:bids`), "tester", "review");
  await redis.cli("HSET", key(`claim:${claim}`), "granted_exclusive_agent", "tester");
  await redis.cli("HDEL", key(`grants:${claim}`), worker);
  await redis.cli("DEL", key(`artifact:${goal.id}:claims`));
  await redis.cli("ZADD", key("questions:open"), "0", question);
  await redis.cli("HDEL", key(`question:${question}`), "answer");
  await redis.cli("ZREM", key(`thread:${goal.id}`), goal.id);
  await redis.cli("XDEL", key("events"), created);
  const rules = checkHistory(await read()).map(({ rule }) => rule);
  for (const rule of [
    "nothingIsDueThatIsOver",
    "noAgentIsWokenForAnEndedClaim",
    "onlyOpenClaimsAreListedAsOpen",
    "bidsAreRecordedAsTheLogSays",
    "grantedAgentsAreCopiedForReaders",
    "grantsAreAsTheLogSays",
    "noArtefactHasTwoClaimsOfOneCause",
    "onlyWhatIsWaitedForIsAsked",
    "theFirstAnswerCounts",
    "threadsHaveNoGaps",
    "everyArtefactIsLoggedOnce",
  ])
    expect(rules).toContain(rule);
});
