// A replay that does not fit: a broken file, and a request that was not recorded. Without Docker.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentName } from "../../lib/model/ids.ts";
import { makeExchange, printExchange } from "../../lib/models/cassette/exchange.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

setDefaultTimeout(600_000);

const settings = `version: '1.0'
models:
  strong: { provider: anthropic, model: claude-sonnet-5, key: "\${KEY_THAT_IS_NOT_SET}" }
agents:
  coder:
    build: { context: . }
    model: strong
    prompts: { execution: You answer. }
    bids: [{ on: GoalDefined, bid: exclusive }]
`;

let sett: ProcessSett;
let cassette: string;

beforeAll(async () => {
  sett = await ProcessSett.create(settings, { Dockerfile: "FROM sett/agent-base:latest\n" });
  const folder = join(sett.root, "cassettes/coder");
  cassette = join(folder, "0001.json");
  await mkdir(folder, { recursive: true });
});
afterAll(() => sett[Symbol.asyncDispose]());

const up = () =>
  sett.sett(
    "up",
    "--runtime",
    "process",
    "--name",
    sett.name,
    "--replay",
    join(sett.root, "cassettes"),
  );

test("a broken file is named at the start, and nothing is left running", async () => {
  await writeFile(cassette, '{"format": 1}');
  const { code, err } = await up();
  expect(code).toBe(1);
  expect(err).toContain("Recorded exchanges cannot be replayed: coder/0001.json is no exchange");
  expect(sett.processOf("redis")).toBeUndefined();
});

test("a request that was not recorded is a Failure with the nearest file and the difference, and status calls it a replay", async () => {
  const question = {
    agent: AgentName.parse("coder"),
    provider: "anthropic",
    api: "messages",
    request: { messages: [] },
  } as const;
  const answer = {
    order: 1,
    status: 200,
    contentType: "application/json",
    body: new TextEncoder().encode("{}"),
  };
  await writeFile(cassette, printExchange(makeExchange(question, answer, [])));
  const before = await readFile(cassette, "utf8");
  const started = await up();
  expect(started.code).toBe(0);
  // An agent without a command replaces no program of an image.
  expect(started.err).toContain("Images are not used");
  expect(started.err).not.toContain("These files replace");
  const { code, err, out } = await sett.sett(
    "forage",
    "--name",
    sett.name,
    "--watch",
    "--goal",
    "Say something",
  );
  expect(code).toBe(3);
  expect(out + err).toContain(
    "No recorded exchange answers this request of the agent coder. The nearest is coder/0001.json; it differs first at",
  );
  const status = await sett.sett("status", "--name", sett.name);
  expect(status.out).toContain(
    `A replay: calls of models are answered from ${join(sett.root, "cassettes")}`,
  );
  expect((await sett.sett("list")).err).toContain(`${sett.name}: A replay: calls of models`);
  expect(await readFile(cassette, "utf8")).toBe(before);
});
