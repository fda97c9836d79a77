// The words that docs/troubleshooting.md names for a model that does not answer are what a person
// sees: one agent for each cause.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { readPage, sectionOf } from "../support/docs/pages.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const section = sectionOf(readPage("docs/troubleshooting.md"), "## A model does not answer");

const prose = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_700_000_000, model: "m" },
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "I would rather not." },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

const refusal = (status: number, message: string) =>
  Response.json({ error: { message } }, { status });

/** The answers, by the first part of the path. */
const providers: Record<string, () => Response> = {
  key: () => refusal(401, "Incorrect API key provided."),
  name: () => refusal(404, "There is no such model."),
  busy: () => refusal(429, "Too many requests for this account."),
  page: () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
  prose: () => Response.json(prose),
  budget: () => Response.json(prose),
};

/**
 * The agent of each cause: the type of its Failure, and the words of the page that its reason has.
 */
const causes: [agent: string, failure: string, words: string[]][] = [
  ["key", "ModelCallFailed", ["The provider refused the key of the model ", "(401)."]],
  [
    "name",
    "ModelCallFailed",
    ["The provider of the model ", " does not know ", ", or its base_url is wrong (404)."],
  ],
  ["busy", "ModelCallFailed", ["429"]],
  ["page", "ModelCallFailed", [" in place of JSON. Is its base_url right?"]],
  ["down", "ModelCallFailed", [" refuses the connection."]],
  ["prose", "ModelGaveNoResult", ["The model answered twice without calling a tool."]],
  [
    "budget",
    "BudgetExceeded",
    ["The budget of this agent's work on the claim does not allow this call: "],
  ],
];

let server: ReturnType<typeof Bun.serve>;
let sett: ProcessSett;
let started: string;

/** A port on which no program listens. */
async function closedPort(): Promise<number> {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await gone.stop(true);
  return gone.port ?? 0;
}

async function settings(): Promise<string> {
  const down = await closedPort();
  const base = (name: string) =>
    `http://127.0.0.1:${name === "down" ? down : server.port}/${name}/v1`;
  const names = causes.map(([name]) => name);
  const model = (name: string) =>
    `  ${name}: { provider: openai, model: m, base_url: "${base(name)}", key: \${A_KEY}, price: { input: 1, output: 1 }, timeout: 2s }\n`;
  const agent = (name: string) =>
    `  ${name}:
    image: none:1
    model: ${name}
    prompts: { execution: Work. }
    bid_command: ["jq", "-r", 'if .payload == "${name}" then "exclusive" else "ignore" end']
    timeout: 1m
${name === "budget" ? "    budget: { calls: 0 }\n" : ""}`;
  const bidder =
    "  bidder: { image: none:1, model: key, prompts: { claim: Take what you can., execution: Work. } }\n";
  return `version: '1.0'\nmodels:\n${names.map(model).join("")}agents:\n${names.map(agent).join("")}${bidder}`;
}

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      providers[new URL(request.url).pathname.split("/")[1] ?? ""]?.() ??
      new Response(null, { status: 500 }),
  });
  sett = await ProcessSett.create(await settings());
  sett.env = { A_KEY: "sk-the-key-of-this-test" };
  started = (await sett.sett("up", "--runtime", "process", "--name", sett.name)).err;
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await server.stop(true);
});

test.each(causes)(
  "%s: a %s says what the page says",
  async (agent, type, words) => {
    const goal = (await sett.need("forage", "--goal", agent)).trim();
    const failure = await waitFor("the Failure", async () => {
      const artefacts: Artefact[] = JSON.parse(await sett.need("hoard", "--json", "--goal", goal));
      return artefacts.find((one) => one.structural_type === "Failure");
    });
    const reason = `${failure.metadata.summary} ${failure.payload}`;
    expect({
      type: failure.type,
      missing: words.filter((each) => !reason.includes(each)),
      reason,
    }).toEqual({
      ...{ type, missing: [], reason },
    });
    expect(words.filter((each) => !section.includes(each))).toEqual([]);
    expect(section).toContain(type);
    expect(reason).not.toContain("sk-the-key");
  },
  300_000,
);

test("`sett up` has warned of the key, of the provider that is down, and of the budget of 0", () => {
  expect(started).toContain("refuses the key of the model key (401)");
  expect(started).toContain("of the model down, cannot be reached: connection refused");
  expect(started).toContain("agents.budget.budget.calls: is 0, which allows no call of a model");
});

test("a goal is stalled because a model could not bid: the end says so", async () => {
  const { code, err } = await sett.sett("forage", "--watch", "--goal", "for no agent");
  expect(code).toBe(1);
  const [, end] = err.split("is stalled.");
  expect(end).toContain(
    "bidder bid `ignore`:\n  │ Its model gave no bid: The provider refused the key of the model `key` (401).",
  );
}, 300_000);
