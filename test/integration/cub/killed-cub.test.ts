// A cub that was killed at its work says itself that the attempt is lost, as soon as it is started
// again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { StandIn } from "../../support/cub/played-orchestrator.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

const coder = agentName("coder");

describe("the program", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedisServer();
  });
  afterAll(async () => redis[Symbol.asyncDispose]());

  test("that is killed at its work reports the loss at its next start, and works on; a namesake that begins meanwhile says nothing", async () => {
    const instance = InstanceName.parse("killed");
    await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
    await using standIn = new StandIn(board);
    await standIn.begin(sampleAgent("coder"));
    // It outlives a cub that is killed.
    using folder = temporaryFolder();
    const command = ["/bin/sh", "-c", `while [ -d "${folder.path}" ]; do sleep 0.05; done`];
    const env = {
      SETT_INSTANCE_NAME: instance,
      SETT_AGENT_NAME: "coder",
      REDIS_URL: redis.url,
      SETT_OBJECTS_DIR: "/nowhere",
    };
    const start = () => startCub({ ...env, SETT_AGENT_COMMAND: JSON.stringify(command) });
    await using first = start();
    const claim = await standIn.openGranted(await standIn.post(), coder);
    await first.said("Executing tool");
    await using namesake = start();
    // It has looked at what it finds before it takes anything up.
    const queued = await standIn.openGranted(await standIn.post(), coder);
    await namesake.said("Executing tool");
    expect((await standIn.grantOf(claim, coder))?.state).toBe("running");
    first.child.kill("SIGKILL");
    await first.ended();
    await using next = start();
    const { artefact } = await standIn.ended(claim, coder);
    expect(artefact).toMatchObject({ type: "AttemptLost", produced_by_agent: "coder" });
    const events = await board.readEvents("0", 1_000);
    // No orchestrator is there to judge it.
    expect(events.find(({ type }) => type === "grant_failed")?.actor).toStartWith("agent:coder@");
    await next.said("Cub started");
    expect((await standIn.grantOf(queued, coder))?.state).toBe("running");
  });
});
