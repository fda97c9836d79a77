// Results that Redis' function does not take for a while: the work counts as under way until they
// are stored.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startService } from "../../support/process/service-process.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { refuseFunction } from "../../support/redis/refuse-function.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);
const instance = InstanceName.parse("test");
const coder = agentName("coder");
const patience = { everyMs: 50 };

test("a result that a function does not take is tried beyond its lease, which is kept, and stored then", async () => {
  await using redis = await startRedisServer();
  await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: true });
  await using service = startService("orchestrator", {
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
    SETT_GRANT_LEASE: "5s",
  });
  const goal = sampleArtefact();
  await board.createArtefact(goal, "person:Ada");
  const claim = await waitFor(
    "a claim",
    async () => (await board.claimsOfArtefact(goal.id)).get("standard"),
    patience,
  );
  const say = (message: object) =>
    board.sendMail(coder, { id: randomUUID(), text: JSON.stringify({ message }) });
  const grant = async () => (await board.readClaim(claim))?.grants[0];
  await say({ say: "bid", claim, word: "exclusive" });
  await waitFor("the grant", grant, patience);
  const repair = await refuseFunction(redis.url, "finishGrant");
  const artefact = { type: "Report", payload: "All is well.", structural_type: "Terminal" };
  // No one renews the lease before the result is there: both are sent at once.
  await say({ say: "started", claim });
  await say({ say: "result", claim, result: { outcome: "done", artefact } });
  await waitFor("the start", async () => (await grant())?.state === "running", patience);
  const member = `lease:${claim}:${coder}:1`;
  const leasedUntil = async () =>
    Number(await redis.cli("ZSCORE", `sett:${instance}:due:lease`, member));
  const first = await leasedUntil();
  // Without a renewal it would have lapsed twice.
  await waitFor(
    "the lease to be kept",
    async () => (await leasedUntil()) > first + 10_000,
    patience,
  );
  expect(service.log().map(({ msg }) => msg)).toContain("Could not store a result; trying again");
  await repair();
  await waitFor("the result", async () => (await grant())?.state === "done", patience);
  const types = (await board.readEvents("0", 1_000)).map(({ type }) => type);
  expect(types).not.toContain("mail_refused");
  expect(types).not.toContain("grant_retrying");
});
