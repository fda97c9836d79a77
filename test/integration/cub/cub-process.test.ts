// The real program against a real Redis, with real tools.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { coder, cubInstance, echo } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

const redis = await startRedisServer({ password: "s3cret" });
afterAll(() => redis[Symbol.asyncDispose]());

describe("the cub as a process", () => {
  test("bids on a goal, works on its grant, posts the result, and ends well on SIGTERM", async () => {
    await using scene = await cubInstance(redis, echo, { agent: { bids_by_command: true } });
    const { standIn } = scene;
    await using cub = startCub({ ...scene.env, SETT_BID_COMMAND: '["echo", "exclusive"]' });
    const goal = await standIn.post();
    const claim = await standIn.open(goal, [coder]);
    expect(await standIn.bidOn(claim, coder)).toBe("exclusive");
    await standIn.grant(claim, coder);
    const { state, artefact } = await standIn.ended(claim, coder);
    expect(state).toBe("done");
    expect(artefact).toMatchObject({
      type: "EchoSuccess",
      payload: "hello",
      source_artefacts: [goal.id],
    });
    expect((await scene.board.listStatuses()).get(coder)?.state).toBeDefined();
    cub.child.kill("SIGTERM");
    expect(await cub.ended()).toBe(0);
    expect(cub.lines.at(-1)?.msg).toBe("Cub stopped");
    expect(cub.stderr()).toBe("");
  });

  test("serves its health, metrics and state, and answers --healthcheck", async () => {
    await using scene = await cubInstance(redis, echo);
    await using cub = startCub(scene.env);
    const address = await cub.address();
    const health = await fetch(`${address}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { service: "cub", ok: true }]);
    expect(await (await fetch(`${address}/metrics`)).text()).toContain(
      "sett_cub_executions_total 0",
    );
    expect(await (await fetch(`${address}/internal/state`)).json()).toMatchObject({
      mode: "standard",
      working_on: null,
    });
    await using well = startCub({ ...scene.env, SETT_HEALTH_PORT: new URL(address).port }, [
      "--healthcheck",
    ]);
    expect(await well.ended()).toBe(0);
    await using ill = startCub({ ...scene.env, SETT_HEALTH_PORT: "1" }, ["--healthcheck"]);
    expect(await ill.ended()).toBe(1);
  });

  test("gives the tool the contract on stdin and an environment without the cub's own", async () => {
    using folder = temporaryFolder();
    const script = `cat > input.json; env > env.txt; ${echo}`;
    await using scene = await cubInstance(redis, `cd '${folder.path}' && ${script}`, {
      agent: { role: "writer" },
      env: {
        SETT_PROMPT_EXECUTION: "Write.",
        GREETING: "hi",
        BUN_OPTIONS: "",
        SETT_IMAGE_LD_LIBRARY_PATH: "/image/lib",
      },
    });
    await using _cub = startCub(scene.env);
    const goal = await scene.standIn.post({ payload: "é\n" });
    const claim = await scene.standIn.openGranted(goal, coder);
    expect((await scene.standIn.ended(claim, coder)).artefact.produced_by_role).toBe("writer");
    const input = JSON.parse(readFileSync(join(folder.path, "input.json"), "utf8"));
    expect(input).toEqual({
      claim_type: "exclusive",
      claim_id: claim,
      target_artefact: goal,
      context_chain: [],
      additional_context: [],
    });
    const env = readFileSync(join(folder.path, "env.txt"), "utf8").split("\n");
    for (const line of [
      "GREETING=hi",
      "SETT_PROMPT_EXECUTION=Write.",
      "SETT_AGENT_ROLE=writer",
      "LD_LIBRARY_PATH=/image/lib",
    ])
      expect(env).toContain(line);
    expect(
      env.filter((line) =>
        /^(?:REDIS_URL|BUN_|SETT_AGENT_COMMAND|SETT_HEALTH|SETT_GIT)/.test(line),
      ),
    ).toEqual([]);
  });

  nightly("an agent that is not registered registers itself", async () => {
    await using scene = await cubInstance(redis, echo);
    await using cub = startCub({
      ...scene.env,
      SETT_AGENT_NAME: "loner",
      SETT_AGENT_ROLE: "hermit",
    });
    await cub.said("Cub started");
    expect((await scene.board.listAgents()).find(({ name }) => name === "loner")).toMatchObject({
      role: "hermit",
      timeout_ms: 300_000,
    });
  });

  test("an agent that cannot read its registration does not work by other limits than its own, and says so", async () => {
    await using scene = await cubInstance(redis, echo);
    const stored = { ...sampleAgent("loner"), strategy: "of a later version" };
    const key = `sett:${scene.instance}:agent:loner:registration`;
    await redis.cli("SET", key, JSON.stringify(stored));
    await using cub = startCub({ ...scene.env, SETT_AGENT_NAME: "loner" });
    expect(await cub.ended()).toBe(78);
    expect(cub.stderr()).toMatch(
      /The registration of agent loner cannot be read: `strategy` has a value that this version of Sett does not know.*sett up/,
    );
  });

  test("a bid command has the artefact on stdin and the word on stdout", async () => {
    const bid =
      'case "$(cat)" in *urgent*) echo exclusive;; *) echo "not mine" >&2; echo ignore;; esac';
    await using scene = await cubInstance(redis, echo, { agent: { bids_by_command: true } });
    await using cub = startCub({
      ...scene.env,
      SETT_BID_COMMAND: JSON.stringify(["/bin/sh", "-c", bid]),
    });
    const urgent = await scene.standIn.open(await scene.standIn.post({ payload: "urgent" }), [
      coder,
    ]);
    const other = await scene.standIn.open(await scene.standIn.post({ payload: "some day" }), [
      coder,
    ]);
    expect(await scene.standIn.bidOn(urgent, coder)).toBe("exclusive");
    expect(await scene.standIn.bidOn(other, coder)).toBe("ignore");
    expect((await cub.said("The bid command wrote to stderr")).stderr).toBe("not mine\n");
  });

  nightly(
    "the word of a bid command counts although a process that it left behind holds its stdout",
    async () => {
      const bid = ["/bin/sh", "-c", "sleep 600 & echo claim"];
      await using scene = await cubInstance(redis, echo, { agent: { bids_by_command: true } });
      await using _cub = startCub({ ...scene.env, SETT_BID_COMMAND: JSON.stringify(bid) });
      const claim = await scene.standIn.open(await scene.standIn.post(), [coder]);
      expect(await scene.standIn.bidOn(claim, coder)).toBe("claim");
    },
  );
});

test("a command that is empty is a failure of the work, not of the cub", async () => {
  await using scene = await cubInstance(redis, "", { env: { SETT_AGENT_COMMAND: "[]" } });
  await using cub = startCub(scene.env);
  const { state, artefact } = await scene.standIn.ended(
    await scene.standIn.openGranted(await scene.standIn.post(), coder),
    coder,
  );
  expect([state, artefact.type, artefact.metadata.summary]).toEqual([
    "failed",
    "ToolExecutionFailure",
    "The command is empty.",
  ]);
  await cub.said("Created Failure artefact");
});

describe("wrong use", () => {
  test("a missing variable is named on stderr, with exit code 78", async () => {
    await using cub = startCub({
      SETT_INSTANCE_NAME: "demo",
      SETT_AGENT_NAME: "coder",
      REDIS_URL: "redis://localhost",
    });
    expect(await cub.ended()).toBe(78);
    expect(cub.stderr()).toContain("SETT_AGENT_COMMAND is not set");
  });

  test("--version prints the version, an unknown argument is exit code 2", async () => {
    await using version = startCub({}, ["--version"]);
    expect(await version.ended()).toBe(0);
    expect(version.lines[0]?.msg).toMatch(/^\d+\.\d+\.\d+$/);
    await using unknown = startCub({}, ["--frobnicate"]);
    expect(await unknown.ended()).toBe(2);
  });
});
