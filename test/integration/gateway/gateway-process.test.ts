// The gateway as a real process: its arguments, its settings, its end.
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { parseToken } from "../../../lib/models/token.ts";
import packageJson from "../../../package.json" with { type: "json" };
import {
  chatAnswer,
  chatChunk,
  type FaultyAnswer,
  startFaultyProvider,
  stream,
} from "../../support/gateway/faulty-provider.ts";
import { chatRequest, key, settingsOf, tokenOf } from "../../support/gateway/gateway-scene.ts";
import { serviceCommand } from "../../support/process/compiled.ts";
import { startService } from "../../support/process/service-process.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("test");

async function run(words: string[], environment: Record<string, string>, input = "") {
  const child = Bun.spawn([...serviceCommand("gateway"), ...words], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdin: new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, errors, exitCode };
}

async function createWorld(...answers: FaultyAnswer[]) {
  const folder = await mkdtemp(join(tmpdir(), "sett-gateway-"));
  const redis = await startRedisServer();
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  const provider = await startFaultyProvider(...answers);
  const environment = {
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
    SETT_HEALTH_HOST: "127.0.0.1",
    SETT_MODELS: JSON.stringify({ strong: settingsOf({ base_url: provider.base_url }) }),
    SETT_MODEL_AGENTS: JSON.stringify({ coder: { model: "strong", budget: {} } }),
    SETT_KEYS_DIR: join(folder, "keys"),
    SETT_RECORD_DIR: join(folder, "record"),
  };
  return {
    folder,
    board,
    provider,
    environment,
    start: async () => {
      const service = startService("gateway", environment);
      const started = await waitFor("the gateway", () =>
        service.log().find(({ msg }) => msg === "Gateway started"),
      );
      return { service, url: `http://127.0.0.1:${started.port}` };
    },
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const post = (url: string, token: string, body: unknown) =>
  fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": token },
    body: JSON.stringify(body),
  });

test("it prints its version, and refuses what it does not know", async () => {
  expect(await run(["--version"], {})).toMatchObject({
    out: `${packageJson.version}\n`,
    exitCode: 0,
  });
  const unknown = await run(["--bogus"], {});
  expect(unknown.exitCode).toBe(2);
  expect(unknown.errors).toContain("Unknown argument --bogus. usage: gateway");
  const empty = await run([], { SETT_MODELS: "{" });
  expect(empty.exitCode).toBe(78);
  expect(empty.errors).toContain("SETT_INSTANCE_NAME is not set");
  expect(empty.errors).toContain("SETT_MODELS must be JSON such as");
});

test("--put-keys writes the keys for their owner alone, removes others, and prints nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-keys-"));
  const environment = { SETT_KEYS_DIR: join(folder, "keys") };
  const first = await run(
    ["--put-keys"],
    environment,
    JSON.stringify({ strong: "one", old: "two" }),
  );
  expect(first).toEqual({ out: "", errors: "", exitCode: 0 });
  await run(["--put-keys"], environment, JSON.stringify({ strong: "three" }));
  expect(await readdir(environment.SETT_KEYS_DIR)).toEqual(["strong"]);
  const file = join(environment.SETT_KEYS_DIR, "strong");
  expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual(["three", 0o600]);
  const wrong = await run(["--put-keys"], environment, '{"../strong":"secret-text"}');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.errors).toContain("The keys on stdin cannot be read.");
  expect(wrong.errors).not.toContain("secret-text");
  expect(await readdir(environment.SETT_KEYS_DIR)).toEqual(["strong"]);
  await rm(folder, { recursive: true });
});

test("it serves calls, stores their bodies for --read-bodies until they are erased, and takes a changed key without a restart", async () => {
  await using world = await createWorld(chatAnswer());
  const { token, work } = await tokenOf(world.board);
  const { service, url } = await world.start();
  await using _ = service;
  expect((await post(url, token, chatRequest())).status).toBe(503);
  await run(["--put-keys"], world.environment, JSON.stringify({ strong: key }));
  const answer = await post(url, token, chatRequest());
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(world.provider.requests[0]?.headers.get("authorization")).toBe(`Bearer ${key}`);
  const { ended } = await world.board.readCalls(work.goal.goal_id);
  const record = ended.find(({ status }) => status === 200);
  const digests = [record?.request?.digest, record?.answer?.digest];
  const read = await waitFor("the bodies", async () => {
    const { out } = await run(
      ["--read-bodies"],
      world.environment,
      JSON.stringify([...digests, "0".repeat(64)]),
    );
    return !out.split("\n", 2).join("").includes("missing") && out;
  });
  expect(
    read
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line)),
  ).toEqual([
    { digest: digests[0], text: JSON.stringify(chatRequest()) },
    { digest: digests[1], text },
    { digest: "0".repeat(64), missing: true },
  ]);
  expect((await run(["--read-bodies"], world.environment, '["../../etc/passwd"]')).exitCode).toBe(
    2,
  );
  const removed = JSON.stringify([digests[0]]);
  expect((await run(["--remove-bodies"], world.environment, removed)).exitCode).toBe(0);
  const left = await run(["--read-bodies"], world.environment, JSON.stringify(digests));
  expect(
    left.out
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line)),
  ).toEqual([
    { digest: digests[0], missing: true },
    { digest: digests[1], text },
  ]);
  const notice = await waitFor("the notice", async () => {
    const seen = await world.board.readGateway();
    return seen?.models.strong?.has_key === true && seen;
  });
  expect(notice.agents).toEqual({ coder: { model: "strong", budget: {} } });
  const metrics = await fetch(`${url}/metrics`).then((response) => response.text());
  expect(metrics).toContain('sett_gateway_calls_total{model="strong",outcome="ok"} 1');
  const state = await fetch(`${url}/internal/state`).then((response) => response.text());
  const everything =
    metrics +
    state +
    JSON.stringify(service.log()) +
    service.errors() +
    JSON.stringify(notice) +
    JSON.stringify(ended);
  expect(everything).not.toContain(key);
  expect(everything).not.toContain(token);
});

test("at SIGTERM it ends its calls, puts them on record and stops; after SIGKILL the next one gives back what was reserved", async () => {
  await using world = await createWorld(stream([chatChunk("one")], "hang"));
  const { token, work } = await tokenOf(world.board);
  const claim = parseToken(token)?.claim;
  expect(claim).toBe(work.claim.id);
  await run(["--put-keys"], world.environment, JSON.stringify({ strong: key }));
  const callOnce = async (url: string) => {
    const response = await post(url, token, chatRequest({ stream: true }));
    await response.body?.getReader().read();
  };
  {
    const { service, url } = await world.start();
    await using _ = service;
    await callOnce(url);
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(await world.board.readCalls(work.goal.goal_id)).toMatchObject({
      open: [],
      ended: [{ outcome: "cancelled", is_estimated: true }],
    });
    expect(service.log().at(-1)?.msg).toBe("Gateway stopped");
  }
  {
    const { service, url } = await world.start();
    await using _ = service;
    await callOnce(url);
    service.signal("SIGKILL");
    await service.exited;
  }
  expect((await world.board.readSpending(work.goal.goal_id)).reserved.calls).toBe(1);
  const { service } = await world.start();
  await using _ = service;
  expect((await world.board.readSpending(work.goal.goal_id)).reserved).toEqual({
    nanousd: 0,
    tokens: 0,
    calls: 0,
  });
  const { ended } = await world.board.readCalls(work.goal.goal_id);
  expect(ended.map(({ outcome }) => outcome)).toEqual(["cancelled", "lost"]);
});

test("what came of a stream before its gateway was killed is charged, and the rest is free within a second of the next one", async () => {
  const words = Array.from({ length: 60 }, (_, at) => chatChunk(` word${at}`));
  await using world = await createWorld(stream(words, "hang"), () => new Promise(() => undefined));
  const { token, work } = await tokenOf(world.board);
  await run(["--put-keys"], world.environment, JSON.stringify({ strong: key }));
  const goal = work.goal.goal_id;
  const outputs = async () =>
    (await world.board.readCalls(goal)).open.map(({ so_far }) => so_far?.usage.output);
  const kill = async (body: Record<string, unknown>, until: (url: string) => Promise<unknown>) => {
    const { service, url } = await world.start();
    await using _ = service;
    const broken = post(url, token, chatRequest(body))
      .then((answer) => answer.text())
      .catch(() => "broken");
    await until(url);
    service.signal("SIGKILL");
    await service.exited;
    await broken;
  };
  await kill({ stream: true }, () =>
    waitFor("the words to be known", async () => ((await outputs())[0] ?? 0) >= 60),
  );
  const killed = await world.board.readSpending(goal);
  expect([killed.spent.calls, killed.reserved.calls]).toEqual([0, 1]);
  {
    const { service } = await world.start();
    await using _ = service;
    const { spent, reserved } = await world.board.readSpending(goal);
    const [call] = (await world.board.readCalls(goal)).ended;
    expect(call).toMatchObject({ outcome: "lost", is_estimated: true, cost: { calls: 1 } });
    expect(call?.usage.output).toBeWithin(60, 300);
    expect(call?.usage.input).toBeGreaterThan(0);
    expect({ spent, reserved: reserved.calls }).toMatchObject({
      spent: call?.cost ?? {},
      reserved: 0,
    });
    expect(spent.nanousd).toBeLessThan(call?.reserved.nanousd ?? 0);
  }
  // Nothing has come: the request is what is known.
  await kill({}, () =>
    waitFor("the reservation", async () => (await world.board.readCalls(goal)).open.length === 1),
  );
  const { service } = await world.start();
  await using _ = service;
  const last = (await world.board.readCalls(goal)).ended.at(-1);
  expect(last).toMatchObject({ outcome: "lost", is_estimated: true });
  expect(last?.usage.input).toBeGreaterThan(0);
  expect((await world.board.readSpending(goal)).reserved.calls).toBe(0);
}, 120_000);

test("an agent that keeps all connections of its socket leaves those of another", async () => {
  await using world = await createWorld();
  const sockets = join(world.folder, "sockets");
  for (const agent of ["coder", "other"]) await mkdir(join(sockets, agent), { recursive: true });
  await using service = startService("gateway", {
    ...world.environment,
    SETT_MODEL_AGENTS: JSON.stringify({
      coder: { model: "strong", budget: {} },
      other: { model: "strong", budget: {} },
    }),
    SETT_SOCKETS_DIR: sockets,
  });
  await waitFor("the gateway", () => service.log().find(({ msg }) => msg === "Gateway started"));
  const socketOf = (agent: string) => join(sockets, agent, "gateway.sock");
  let closed = 0;
  const kept = Array.from({ length: 600 }, () => connect(socketOf("coder")));
  for (const client of kept) client.on("error", () => undefined).once("close", () => (closed += 1));
  await waitFor("the surplus to be closed", () => closed === 88);
  const answer = await fetch("http://gateway/healthz", { unix: socketOf("other") });
  expect(answer.status).toBe(200);
  for (const client of kept) client.destroy();
});
