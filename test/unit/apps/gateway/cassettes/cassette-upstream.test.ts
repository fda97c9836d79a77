import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withCassettes } from "../../../../../apps/gateway/cassettes/cassette-upstream.ts";
import { CassetteWriter } from "../../../../../apps/gateway/cassettes/cassette-writer.ts";
import { readCassettes } from "../../../../../apps/gateway/cassettes/read-cassettes.ts";
import { KeyFolder } from "../../../../../apps/gateway/keys.ts";
import {
  noProgress,
  type Upstream,
  UpstreamFailure,
  type UpstreamRequest,
} from "../../../../../apps/gateway/upstream.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { errorOf } from "../../../../support/error-of.ts";

const key = "the-key-of-the-provider";

async function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), "sett-cassettes-"));
  const keys = new KeyFolder(join(folder, "keys"));
  await keys.put(new Map([["strong", key]]));
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(0),
  );
  return {
    folder: join(folder, "cassettes"),
    keys,
    lines,
    log,
    record: (upstream: Upstream) =>
      withCassettes(upstream, { folder: join(folder, "cassettes"), mode: "record" }, { keys, log }),
    replay: () =>
      withCassettes(
        noProvider,
        { folder: join(folder, "cassettes"), mode: "replay" },
        { keys, log },
      ),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const noProvider: Upstream = () => Promise.reject(new Error("A provider was asked."));

function ask(content: string, over: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    agent: AgentName.parse("coder"),
    work: "claim/1",
    model: "strong",
    provider: "anthropic",
    api: "messages",
    path: "/messages",
    headers: new Headers(),
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
    signal: new AbortController().signal,
    deadlineMs: 0,
    progress: noProgress(),
    ...over,
  };
}

/** A provider that answers with these bytes in these pieces. */
function provider(pieces: (string | Uint8Array<ArrayBuffer>)[], init: ResponseInit = {}): Upstream {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces)
          controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
        controller.close();
      },
    });
    return { response: new Response(body, init), tries: 2 };
  };
}

const stream = { headers: { "content-type": "text/event-stream" } };
const events = [
  'event: message_start\ndata: {"type":"message_start"}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];

async function textOf(upstream: Upstream, request: UpstreamRequest): Promise<string> {
  return await (await upstream(request)).response.text();
}

test("what was recorded is replayed bit for bit, with its status, its type and its events", async () => {
  using place = await openFolder();
  // Pieces of the network are no events.
  const recorder = await place.record(
    provider([events.join("").slice(0, 9), events.join("").slice(9)], { status: 200, ...stream }),
  );
  const recorded = await recorder(ask("hi"));
  expect(recorded.tries).toBe(2);
  expect(await recorded.response.text()).toBe(events.join(""));
  const { response } = await (await place.replay())(ask("hi"));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const pieces: string[] = [];
  for await (const piece of response.body ?? []) pieces.push(new TextDecoder().decode(piece));
  expect(pieces).toEqual(events);
});

test("bytes that are no text, an empty body and a refusal are replayed, too", async () => {
  using place = await openFolder();
  const bytes = Uint8Array.of(0xff, 0x00, 0x80);
  await textOf(await place.record(provider([bytes], { status: 500 })), ask("bytes"));
  await textOf(
    await place.record(
      provider([], { status: 400, headers: { "content-type": "application/json" } }),
    ),
    ask("empty"),
  );
  const replay = await place.replay();
  const { response } = await replay(ask("bytes"));
  expect([response.status, new Uint8Array(await response.arrayBuffer())]).toEqual([500, bytes]);
  const empty = await replay(ask("empty"));
  expect([empty.response.status, await empty.response.text()]).toEqual([400, ""]);
});

test("files are numbered for each agent, and go on behind those that are there", async () => {
  using place = await openFolder();
  for (const text of ["a", "b", "c"]) await textOf(await place.record(provider([text])), ask(text));
  const reviewer = AgentName.parse("reviewer");
  await textOf(await place.record(provider(["d"])), ask("d", { agent: reviewer }));
  expect(readdirSync(place.folder).sort()).toEqual(["coder", "reviewer"]);
  expect(readdirSync(join(place.folder, "reviewer"))).toEqual(["0001.json"]);
  await textOf(await place.record(provider(["e"])), ask("e"));
  expect(readdirSync(join(place.folder, "coder")).sort()).toEqual([
    "0001.json",
    "0002.json",
    "0003.json",
    "0004.json",
  ]);
});

test("exchanges at the same time get a number each", async () => {
  using place = await openFolder();
  const recorder = await place.record(provider(["x"]));
  const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
  await Promise.all(texts.map((text) => textOf(recorder, ask(text))));
  expect((await readCassettes(place.folder)).map(({ order }) => order)).toEqual(
    texts.map((_, index) => index + 1),
  );
});

test("no key and no token is written", async () => {
  using place = await openFolder();
  const recorder = await place.record(provider([`{"text":"${key}"}`]));
  await textOf(
    recorder,
    ask(`${key} and sett_grant.a.coder.1.secret`, { headers: new Headers({ "x-api-key": key }) }),
  );
  const text = readFileSync(join(place.folder, "coder/0001.json"), "utf8");
  expect(text).not.toContain(key);
  expect(text).not.toContain("sett_grant");
  expect(text).toContain("[secret] and [secret]");
});

test("a client that leaves after the last event has its exchange recorded; one that leaves before has not", async () => {
  using place = await openFolder();
  const endless =
    (sent: string): Upstream =>
    async () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(sent)),
      });
      return { response: new Response(body, stream), tries: 1 };
    };
  for (const sent of [events.join(""), events[0] ?? "", "data: {}\n\ndata: [DONE]\n\n"]) {
    const { response } = await (await place.record(endless(sent)))(ask(sent));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  }
  const lines = (await readCassettes(place.folder)).map(
    ({ answer }) => "lines" in answer && answer.lines.at(0),
  );
  expect(lines).toEqual(["event: message_start", "data: {}"]);
});

test("a refused key and an answer that breaks off are not recorded", async () => {
  using place = await openFolder();
  for (const status of [401, 403])
    await textOf(await place.record(provider(["no"], { status })), ask("hi"));
  const broken: Upstream = async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error("broken")),
    });
    return { response: new Response(body), tries: 1 };
  };
  const reading = textOf(await place.record(broken), ask("hi"));
  expect(await reading.catch((error: unknown) => error)).toHaveProperty("message", "broken");
  expect(await readCassettes(place.folder)).toEqual([]);
});

test("a request that was not recorded is refused with the nearest file, and is not asked again", async () => {
  using place = await openFolder();
  await textOf(await place.record(provider(["x"])), ask("Add a door"));
  const replay = await place.replay();
  const error = await replay(ask("Add a window")).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(UpstreamFailure);
  expect(error).toMatchObject({ code: "exchange-not-recorded", status: 404, tries: 0 });
  expect(String(error)).toContain(
    "The nearest is coder/0001.json; it differs first at messages[0].content",
  );
});

test("broken files are named, each with what is wrong; other files are left alone", async () => {
  using place = await openFolder();
  mkdirSync(join(place.folder, "coder"), { recursive: true });
  writeFileSync(join(place.folder, "README.md"), "text");
  writeFileSync(join(place.folder, "coder/notes.txt"), "text");
  expect(await readCassettes(place.folder)).toEqual([]);
  writeFileSync(join(place.folder, "coder/0001.json"), "{");
  writeFileSync(join(place.folder, "coder/0002.json"), "{}");
  const error = await errorOf(() => place.replay());
  expect(error).toMatchObject({ code: "environment-invalid", exitCode: 78 });
  expect(String(error)).toMatch(
    /coder\/0001\.json is not JSON \(.+\); coder\/0002\.json is no exchange: `format`/,
  );
});

test("a folder that is not there cannot be replayed; one that is a file cannot be recorded into", async () => {
  using place = await openFolder();
  expect(await errorOf(() => place.replay())).toHaveProperty("code", "environment-invalid");
  writeFileSync(place.folder, "");
  expect(String(await errorOf(() => place.record(noProvider)))).toContain(
    "Exchanges cannot be recorded",
  );
});

test("an exchange that cannot be written is in the log, and the client has its answer", async () => {
  using place = await openFolder();
  const recorder = await place.record(provider(["answer"]));
  writeFileSync(join(place.folder, "coder"), "in the way");
  expect(await textOf(recorder, ask("hi"))).toBe("answer");
  expect(place.lines.join("\n")).toContain("Could not record an exchange with a model");
});

test("a file is there whole or not at all: a draft that a crash has left is no exchange", async () => {
  using place = await openFolder();
  const writer = new CassetteWriter({ ...place, readKeys: async () => [] });
  mkdirSync(join(place.folder, "coder"), { recursive: true });
  writeFileSync(join(place.folder, "coder/.draft.json"), "{");
  const question = {
    agent: AgentName.parse("coder"),
    provider: "openai",
    api: "chat",
    request: {},
  } as const;
  await writer.write(question, { status: 200, contentType: "", body: new Uint8Array() });
  expect((await readCassettes(place.folder)).map(({ order }) => order)).toEqual([1]);
});
