// Measures what the gateway adds to a call of a model, in turn with the mock of the provider
// itself.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { LLMock } from "@copilotkit/aimock";
import { build, hostArchitecture, imageBinaries } from "../../.ci/build.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { chatRequest, settingsOf, tokenOf } from "../support/gateway/gateway-scene.ts";
import { patient, startRedisServer } from "../support/redis/redis-server.ts";
import { root } from "../support/root.ts";
import { median } from "./figures.ts";

const parallelStreams = 50;

/** Times in milliseconds, memory in megabytes: what is anonymous, and all that is resident. */
export async function gatewayFigures(rounds: number): Promise<Record<string, number>> {
  await build(imageBinaries(hostArchitecture).filter(({ program }) => program === "gateway"));
  const mock = new LLMock({ port: 0 });
  mock.onMessage("hello", {
    content: "word ".repeat(200),
    usage: { input_tokens: 10, output_tokens: 200 },
  });
  await mock.start();
  await using redis = await startRedisServer();
  const instance = InstanceName.parse("bench");
  await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await using gateway = await startGatewayProcess(redis.url, instance, `${mock.url}/v1`);
  const { token } = await tokenOf(board);
  const direct = { url: `${mock.url}/v1/chat/completions`, token: "any" };
  const through = { url: `${gateway.url}/openai/v1/chat/completions`, token };
  const [anonymous, resident] = await memoryOf(gateway.pid);
  const added: Record<"call" | "byte", number[]> = { call: [], byte: [] };
  const directly: Record<"call" | "byte", number[]> = { call: [], byte: [] };
  // The first rounds compile code, and are not measured.
  for (let round = -50; round < rounds; round++) {
    for (const [side, samples] of [
      [direct, directly],
      [through, added],
    ] as const) {
      const call = await callMs(side);
      const byte = (await streamMs(side)).firstByteMs;
      if (round < 0) continue;
      samples.call.push(call);
      samples.byte.push(byte);
    }
  }
  const streams = await Promise.all(
    Array.from({ length: parallelStreams }, () => streamMs(through)),
  );
  const figures = {
    gateway_call_added_ms_p50: median(added.call) - median(directly.call),
    gateway_first_byte_added_ms_p50: median(added.byte) - median(directly.byte),
    gateway_parallel_streams_held: streams.filter(({ text }) => text.includes("[DONE]")).length,
    idle_gateway_process_mb: anonymous,
    idle_gateway_process_resident_mb: resident,
  };
  await mock.stop();
  return figures;
}

type Side = { url: string; token: string };

const post = ({ url, token }: Side, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

async function callMs(side: Side): Promise<number> {
  const begun = performance.now();
  const answer = await post(side, chatRequest());
  await answer.text();
  if (!answer.ok) throw new Error(`The call was answered with ${answer.status}.`);
  return performance.now() - begun;
}

async function streamMs(side: Side): Promise<{ firstByteMs: number; text: string }> {
  const begun = performance.now();
  const answer = await post(side, chatRequest({ stream: true }));
  let firstByteMs: number | undefined;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    firstByteMs ??= performance.now() - begun;
    text += decoder.decode(chunk, { stream: true });
  }
  return { firstByteMs: firstByteMs ?? Number.NaN, text };
}

async function startGatewayProcess(redisUrl: string, instance: string, base_url: string) {
  const model = settingsOf({ base_url, model: { parallel: 100, needs_key: false } });
  const folder = await mkdtemp(join(tmpdir(), "sett-bench-"));
  const child = Bun.spawn([join(root, `bin/linux-${hostArchitecture}/gateway`)], {
    env: {
      SETT_INSTANCE_NAME: instance,
      REDIS_URL: redisUrl,
      SETT_HEALTH_PORT: "0",
      SETT_HEALTH_HOST: "127.0.0.1",
      SETT_MODELS: JSON.stringify({ strong: model }),
      SETT_MODEL_AGENTS: JSON.stringify({ coder: { model: "strong", budget: {} } }),
      SETT_KEYS_DIR: join(folder, "keys"),
      SETT_RECORD_DIR: join(folder, "record"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
  const started = Promise.withResolvers<number>();
  // All of its log is read, or it would wait for its reader.
  lines.on("line", (line) => {
    const { msg, port } = JSON.parse(line);
    if (msg === "Gateway started") started.resolve(port);
  });
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${await started.promise}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** Megabytes: without the pages of its file, which all processes share, and with them. */
async function memoryOf(pid: number): Promise<[number, number]> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1_000;
  return [megabytes("RssAnon"), megabytes("VmRSS")];
}
