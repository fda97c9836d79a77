// Events whose handling was given up: what they were to bring about comes all the same, by the same
// leader or by the next one.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { EventDraft, EventType } from "../../../lib/model/event.ts";
import { ArtefactId, type ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { byHand } from "../../support/blackboard/scene.ts";
import { nightly } from "../../support/nightly.ts";
import { startService } from "../../support/process/service-process.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
} from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { refuseFunction } from "../../support/redis/refuse-function.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("test");
setDefaultTimeout(600_000);
const patience = { everyMs: 50 };
const ada = "person:Ada";
const coder = agentName("coder");

/** One agent is registered, so that claims wait for its bid. */
async function createWorld() {
  const redis = await startRedisServer();
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await board.registerAgents([sampleAgent("coder")], ada, { exact: true });
  const start = () =>
    startService("orchestrator", {
      SETT_INSTANCE_NAME: instance,
      REDIS_URL: redis.url,
      SETT_HEALTH_PORT: "0",
    });
  let service = start();
  return {
    board,
    refuse: (name: string) => refuseFunction(redis.url, name),
    leads: () => waitFor("a leader", () => board.readLeader(), patience),
    stop: () => service[Symbol.asyncDispose](),
    /** A new leader, in the place of one that was stopped. */
    start: () => {
      service = start();
    },
    /** The agent wins the claim and fails, which ends the claim. The Failure. */
    async fail(claim: ClaimId) {
      const say = (message: object) =>
        board.sendMail(coder, { id: randomUUID(), text: JSON.stringify({ message }) });
      await say({ say: "bid", claim, word: "exclusive" });
      await waitFor(
        "the grant",
        async () => (await board.readClaim(claim))?.grants.length === 1,
        patience,
      );
      await say({
        say: "result",
        claim,
        result: { outcome: "failed", artefact: { type: "Oops", payload: "{}" } },
      });
      const ended = await waitFor("the failure", async () => {
        const found = await board.readClaim(claim);
        const [grant] = found?.grants ?? [];
        const isOver = found !== undefined && isEnded(found.claim.status);
        return isOver && grant?.state === "failed" && grant.artefact_ids;
      });
      return ArtefactId.parse(ended[0]);
    },
    request: (draft: EventDraft) => board.logEvent(draft, ada),
    async post() {
      const goal = sampleArtefact();
      await board.createArtefact(goal, ada);
      return goal;
    },
    /** The owner writes a goal with redis-cli, and publishes it. */
    async publish() {
      const goal = sampleArtefact();
      const key = `sett:${instance}:artifact:${goal.id}`;
      await redis.cli("HSET", key, ...Object.entries(byHand(goal)).flat());
      const channel = `sett:${instance}:artefact_events`;
      // A leader hears of nothing that is published before it listens.
      await waitFor(
        "a listener",
        async () => Number((await redis.cli("PUBSUB", "NUMSUB", channel)).split("\n")[1]) > 0,
        patience,
      );
      await redis.cli("PUBLISH", channel, goal.id);
      return goal;
    },
    /** Neither is owed nor ahead, and each is refused or has had its effect. */
    async areSeenTo(pause: string, resume: string) {
      const { count } = await board.listOwed(1);
      const events = await board.readEvents("0", 1_000);
      const refused = events.flatMap(({ type, data }) =>
        type === "request_refused" ? [data?.request] : [],
      );
      const has = (type: EventType) => events.some((event) => event.type === type);
      const isSeenTo = (request: string, effect: EventType) =>
        refused.includes(request) || has(effect);
      return (
        count === 0 && isSeenTo(pause, "instance_paused") && isSeenTo(resume, "instance_resumed")
      );
    },
    /** Once the leader's log has a line that begins so. */
    hasLogged: (words: string) =>
      waitFor(words, async () => service.log().some(({ msg }) => msg?.startsWith(words)), patience),
    isGivenUp: (type: EventType) =>
      waitFor(
        "it to be given up",
        async () =>
          (await board.readEvents("0", 1_000)).find(
            (event) => event.type === "event_given_up" && event.data?.type === type,
          ),
        patience,
      ),
    /** Its health check's answer, once it has this status. */
    health: (status: number) =>
      waitFor(
        `health ${status}`,
        async () => {
          const port = service.log().find(({ msg }) => msg === "Orchestrator started")?.port;
          const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
          return answer.status === status && (await answer.text());
        },
        patience,
      ),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

nightly(
  "an artefact gets its claim although the opening failed until its event was given up; health is red until then",
  async () => {
    await using world = await createWorld();
    await world.leads();
    const repair = await world.refuse("openClaim");
    const goal = await world.post();
    await world.isGivenUp("artefact_created");
    expect(await world.health(503)).toContain(
      "(artefact_created) could not be handled, and is tried again every 5 s: Redis refused",
    );
    await repair();
    await waitFor(
      "the claim",
      async () => (await world.board.claimsOfArtefact(goal.id)).size === 1,
      patience,
    );
    await world.health(200);
    expect(await world.board.listOwed(10)).toEqual({ count: 0, owed: [] });
  },
);

test("the work on a version ends although Redis refused to write that it did when a person's own came", async () => {
  await using world = await createWorld();
  const { board } = world;
  await world.leads();
  const first = await world.post();
  const claimOf = (id: ArtefactId) =>
    waitFor("a claim", async () => (await board.claimsOfArtefact(id)).get("standard"), patience);
  const former = await claimOf(first.id);
  const repair = await world.refuse("commitClaim");
  const second = sampleArtefact({
    ...{ id: newArtefactId(), goal_id: first.goal_id, logical_id: first.logical_id, version: 2 },
    source_artefacts: [first.id],
  });
  await board.createArtefact(second, ada);
  await world.hasLogged("Could not decide about a claim");
  await repair();
  await claimOf(second.id);
  expect((await board.readClaim(former))?.claim).toMatchObject({
    status: "terminated",
    termination_reason: "Version 2 was posted in its place.",
  });
});

test("an artefact that the owner has published is adopted although Redis refused that at first", async () => {
  await using world = await createWorld();
  const { board } = world;
  await world.leads();
  const repair = await world.refuse("adoptArtefact");
  const goal = await world.publish();
  await world.hasLogged("Could not check a published artefact");
  await repair();
  await waitFor(
    "its claim",
    async () => (await board.claimsOfArtefact(goal.id)).has("standard"),
    patience,
  );
});

test("requests that had their effect are not refused by a leader that reads them again", async () => {
  await using world = await createWorld();
  const { board } = world;
  await world.leads();
  const [doomed, failing] = [await world.post(), await world.post()];
  const standard = async ({ id }: { id: ArtefactId }) =>
    (await board.claimsOfArtefact(id)).get("standard");
  const claim = await waitFor("the claim", () => standard(failing), patience);
  const failure = await world.fail(claim);
  // The next leader begins where this one began.
  await world.refuse("moveCursor");
  await world.request({ type: "cancel_requested", goal_id: doomed.goal_id });
  await world.request({ type: "retry_requested", artefact_id: failure, goal_id: failing.goal_id });
  await waitFor(
    "the cancelling",
    async () => (await board.readGoal(doomed.goal_id))?.ended !== undefined,
    patience,
  );
  await waitFor(
    "the retry",
    async () => (await board.claimsOfArtefact(failing.id)).size === 2,
    patience,
  );
  await world.stop();
  world.start();
  const last = await world.post();
  await waitFor("the claim of what came later", () => standard(last), patience);
  const later = await world.request({ type: "cancel_requested", goal_id: doomed.goal_id });
  const refused = async () => {
    const events = await board.readEvents("0", 1_000);
    return events.flatMap(({ type, data }) => (type === "request_refused" ? [data?.request] : []));
  };
  await waitFor("a refusal", async () => (await refused()).length > 0, patience);
  expect(await refused()).toEqual([later]);
});

nightly(
  "a goal is cancelled, and a claim tried again, by the next leader where these requests were given up by the one before",
  async () => {
    await using world = await createWorld();
    await world.leads();
    const { board } = world;
    const [doomed, failing] = [await world.post(), await world.post()];
    const claim = await waitFor(
      "the claim",
      async () => (await board.claimsOfArtefact(failing.id)).get("standard"),
      patience,
    );
    const failure = await world.fail(claim);
    const repairs = [await world.refuse("endGoal"), await world.refuse("openClaim")];
    await world.request({ type: "cancel_requested", goal_id: doomed.goal_id });
    await world.request({
      type: "retry_requested",
      artefact_id: failure,
      goal_id: failing.goal_id,
    });
    await Promise.all([world.isGivenUp("cancel_requested"), world.isGivenUp("retry_requested")]);
    await world.stop();
    for (const repair of repairs.reverse()) await repair();
    world.start();
    await waitFor(
      "the end of the goal",
      async () => (await board.readGoal(doomed.goal_id))?.ended === "cancelled",
      patience,
    );
    await waitFor(
      "the retry",
      async () => (await board.claimsOfArtefact(failing.id)).size === 2,
      patience,
    );
  },
);

nightly(
  "a pause that was given up does not stop the instance after the person has asked to go on",
  async () => {
    await using world = await createWorld();
    await world.leads();
    const repair = await world.refuse("setPaused");
    const pause = await world.request({ type: "pause_requested" });
    await world.isGivenUp("pause_requested");
    // Whichever of the two is handled first.
    const resume = await world.request({ type: "resume_requested" });
    await repair();
    await waitFor("both to be seen to", () => world.areSeenTo(pause, resume), patience);
    expect(await world.board.readPause()).toBeUndefined();
  },
);
