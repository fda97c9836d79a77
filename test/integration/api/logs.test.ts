import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logsFrom } from "../../../apps/api/logs.ts";
import { aborted } from "../../../lib/async/sleep.ts";
import type { LogRequest, LogSource } from "../../../lib/logs/log-source.ts";
import { createReaderApp } from "../../../lib/logs/reader-app.ts";
import { ReaderClient } from "../../../lib/logs/reader-client.ts";
import { openSocket, reachable } from "../../../lib/service/forward.ts";
import { serve } from "../../../lib/service/serve.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Ten lines, then one more when the test wants it, until the reader goes. */
class PlayedLogs implements LogSource {
  readonly more = Promise.withResolvers<void>();
  readonly gone = Promise.withResolvers<void>();

  async names() {
    return ["coder"];
  }

  async read(name: string, request: LogRequest) {
    return name === "coder" ? this.#lines(request) : undefined;
  }

  async *#lines({ tail = 0, follow, signal }: LogRequest): AsyncGenerator<string> {
    const lines = Array.from({ length: 10 }, (_, at) => `{"msg":"line ${at} é"}`);
    yield* lines.slice(lines.length - tail);
    if (!follow) return;
    await this.more.promise;
    yield "new";
    await aborted(signal);
    this.gone.resolve();
  }
}

let scene: ApiScene;
let played: PlayedLogs;
let folder: string;
let end: () => Promise<void>;

/** By way of a socket, as the container has it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-logs-"));
  played = new PlayedLogs();
  const server = serve(
    { port: 0, hostname: "127.0.0.1", isPatient: true },
    createReaderApp(played).fetch,
  );
  const socket = join(folder, "logs.sock");
  const opened = await openSocket(socket, server.port ?? 0);
  scene = await ApiScene.start(
    {},
    {
      orchestrator: false,
      deps: { logs: logsFrom(new ReaderClient(await reachable(`unix:${socket}`)), "garden") },
    },
  );
  end = async () => {
    await scene[Symbol.asyncDispose]();
    opened[Symbol.dispose]();
    await server.stop();
    await rm(folder, { recursive: true });
  };
});

afterAll(async () => await end());

test("the last lines of an agent are read as they are", async () => {
  const { text, headers } = await scene.get("/v1/agents/coder/logs?tail=2");
  expect(text).toBe('{"msg":"line 8 é"}\n{"msg":"line 9 é"}\n');
  expect(headers.get("content-type")).toStartWith("text/plain");
  expect((await scene.get("/v1/agents/coder/logs")).text.split("\n")).toHaveLength(11);
});

test("an agent that does not exist is not found, also where its log is to be followed", async () => {
  const detail = expect.stringMatching(/ has no part named codr\. It has .*coder/);
  expect(await scene.get("/v1/agents/codr/logs")).toMatchObject({
    status: 404,
    body: { code: "agent-not-found", detail },
  });
  expect(await scene.get("/v1/agents/codr/logs?follow=true")).toMatchObject({ status: 404 });
  const { status, text } = await scene.get("/v1/agents/..%2f..%2fetc/logs");
  expect({ status, text }).toEqual({
    status: 422,
    text: expect.stringContaining("orchestrator, gateway, redis or api"),
  });
});

test("a followed log goes on with new lines, and its reader ends when the client goes", async () => {
  const stop = new AbortController();
  const answer = await fetch(`${scene.url}/v1/agents/coder/logs?follow=true&tail=1`, {
    headers: { authorization: `Bearer ${scene.tokens.reader}` },
    signal: stop.signal,
  });
  let text = "";
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += new TextDecoder().decode(chunk);
  })();
  await waitFor("the past", () => text === '{"msg":"line 9 é"}\n');
  played.more.resolve();
  await waitFor("the new line", () => text.endsWith("\nnew\n"));
  stop.abort();
  await reading.catch(() => undefined);
  await played.gone.promise;
  await waitFor(
    "the stream to be counted out",
    async () => (await scene.metrics.streams.get()).values[0]?.value === 0,
  );
});
