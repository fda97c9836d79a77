// Findings about agents whose prompts and models do not fit together.
import { describe, expect, test } from "bun:test";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn, validText } from "../../../support/config/config-file.ts";

const models = "models:\n  strong: { provider: openai, model: gpt-5, key: $KEY }\n";
const host = { KEY: "sk-1" };

async function read(text: string) {
  await using made = await configFolder({ "sett.yml": text });
  const { config, warnings } = await readConfig(made.path, host);
  return { config, warnings: warnings.map((one) => formatProblem({ ...one, file: "f" })) };
}

const agents = (...lines: string[]) =>
  `version: '1.0'\nagents:\n${lines.map((line) => `  ${line}\n`).join("")}`;

describe("mistakes", () => {
  test("a model that `models` does not have is named with the nearest, or with all that there are", async () => {
    const text = agents(
      "a: { image: x, command: [x], model: stron }",
      "b: { image: x, command: [x], model: weak, comand: [] }",
    );
    expect(await mistakesIn(text + models, host)).toEqual([
      "sett.yml:3:39 agents.a.model: `models` has no `stron`: did you mean `strong`?",
      "sett.yml:4:39 agents.b.model: `models` has no `weak`: known are `strong`",
      "sett.yml:4:45 agents.b.comand: is unknown here: did you mean `command`?",
    ]);
    const without = agents("a: { image: x, command: [x], model: record }");
    const sentence =
      "sett.yml:3:39 agents.a.model: `models` has no `record`: the file needs `models`, which say what it is";
    expect(await mistakesIn(without)).toEqual([sentence]);
    expect(await mistakesIn(`${without}models: { record: digests }\n`)).toEqual([sentence]);
  });

  test("a model of `fallback` is another one of the file, once, and of the same provider", async () => {
    const text = agents("a: { image: x, command: [x], model: strong }");
    const own = (fallback: string) =>
      `models:\n  strong: { provider: openai, model: m, key: $KEY, fallback: [${fallback}] }\n`;
    const others =
      "  cheap: { provider: openai, model: n, key: $KEY, price: { input: 1, output: 1 } }\n  claude: { provider: anthropic, model: o, key: $KEY }\n";
    expect(
      await mistakesIn(text + own("cheap, chep, strong, cheap, claude") + others, host),
    ).toEqual([
      "sett.yml:5:70 models.strong.fallback[1]: `models` has no `chep`: did you mean `cheap`?",
      "sett.yml:5:76 models.strong.fallback[2]: is the model itself",
      "sett.yml:5:84 models.strong.fallback[3]: names `cheap` a second time",
      "sett.yml:5:91 models.strong.fallback[4]: `claude` has the `provider` `anthropic`, and `strong` has `openai`: an agent's client speaks one API",
    ]);
    const { config, warnings } = await read(text + own("cheap") + others);
    expect(config.models.settings.strong).toMatchObject({ fallback: ["cheap"] });
    expect(warnings.join("\n")).not.toContain("`model: cheap`");
    expect(warnings.join("\n")).toContain("`model: claude`");
  });

  test("work that only a model could do needs one, and some work is needed", async () => {
    const text = agents(
      "a: { image: x, prompts: { execution: Work. } }",
      "b: { image: x, prompts: { claim: Take., execution: Work. }, bids: [{ on: A, bid: claim }] }",
      "c: { image: x, model: strong }",
      "d: { image: x, model: strong, prompts: { claim: Take. } }",
    );
    const lacksWork =
      'is missing: write `command: ["/app/run.sh"]`, or a `model` and `prompts: { execution: … }`';
    const two = `${models}  weak: { provider: openai, model: gpt-5, key: $KEY }\n`;
    expect(await mistakesIn(text + two, host)).toEqual([
      "sett.yml:3:40 agents.a.prompts.execution: needs a `model` that does the work, or a `command`",
      "sett.yml:4:54 agents.b.prompts.execution: needs a `model` that does the work, or a `command`",
      `sett.yml:5:3 agents.c.command: ${lacksWork}`,
      `sett.yml:6:3 agents.d.command: ${lacksWork}`,
    ]);
  });

  test("who takes part by hand, and a person, have no model", async () => {
    const rest = "model: strong, budget: { usd: 1 }, on_budget: ask";
    const lines = await mistakesIn(
      agents(
        `a: { external: true, ${rest} }`,
        `b: { human: true, bids: [{ on: A, bid: review }], ${rest} }`,
      ) + models,
      host,
    );
    expect(lines.map((line) => line.replace(/^\S+ (\S+): (.*: true)`.*/, "$1 $2"))).toEqual(
      ["a", "b"].flatMap((agent) =>
        ["model", "budget", "on_budget"].map(
          (key) =>
            `agents.${agent}.${key} cannot be combined with \`${agent === "a" ? "external" : "human"}: true`,
        ),
      ),
    );
  });

  test("a budget needs a model, amounts are whole or dollars, and a prompt is a text of at most 100 KiB", async () => {
    const sentence = "needs a `model`: without one there are no calls that cost anything";
    expect(await mistakesIn(`${validText}    budget: { usd: 1 }\n    on_budget: ask\n`)).toEqual([
      `sett.yml:6:5 agents.a.budget: ${sentence}`,
      `sett.yml:7:16 agents.a.on_budget: ${sentence}`,
    ]);
    const long = "p".repeat(100 * 1024);
    const bad = `    model: strong\n    prompts: { claim: "  ", execution: ${long}p }\n    on_budget: stop\n    budget: { usd: 5usd, tokens: 1.5, calls: -1, eur: 1 }\n`;
    expect(await mistakesIn(`${validText}${bad}limits: { budget: 5 }\n${models}`, host)).toEqual([
      "sett.yml:7:23 agents.a.prompts.claim: must not be empty",
      "sett.yml:7:40 agents.a.prompts.execution: must not be longer than 100 KiB: a longer one comes from a file, `{ file: ./prompt.md }`",
      "sett.yml:8:16 agents.a.on_budget: must be `fail` or `ask`, not `stop`",
      "sett.yml:9:20 agents.a.budget.usd: must be an amount in US dollars such as `5` or `0.50`",
      "sett.yml:9:34 agents.a.budget.tokens: must be a whole number such as `500`, `200k` or `2M`",
      "sett.yml:9:46 agents.a.budget.calls: must be at least 0",
      "sett.yml:9:50 agents.a.budget.eur: is unknown here; known are `usd`, `tokens`, `calls`",
      "sett.yml:10:19 limits.budget: must be a map, not `5`",
    ]);
    expect(
      (
        await read(
          `${validText}    model: strong\n    prompts: { claim: c, execution: ${long} }\n${models}`,
        )
      ).warnings,
    ).toEqual([]);
  });
});

test("an agent of prompts and a model needs no command; budgets are in nano-dollars and whole numbers", async () => {
  const { config, warnings } = await read(
    `${agents(
      "a: { image: x, model: strong, prompts: { claim: c, execution: e }, budget: { usd: 0.5, calls: 20 }, on_budget: ask }",
      "b: { image: x, model: strong, command: [x], bids: [{ on: A, bid: claim }] }",
    )}limits: { budget: { tokens: 2M } }\n${models}`,
  );
  expect(warnings).toEqual([]);
  const [a, b] = config.agents;
  expect(a).toMatchObject({
    command: [],
    model: "strong",
    budget: { nanousd: 500_000_000, calls: 20 },
    on_budget: "ask",
  });
  expect(b).toMatchObject({ command: ["x"], model: "strong", budget: {}, on_budget: "fail" });
  expect(config.limits.budget).toEqual({ tokens: 2_000_000 });
  expect(
    (await read(`${agents("a: { image: x, command: [x] }")}models: { record: digests }\n`)).config
      .limits.budget,
  ).toEqual({});
});

test("budgets of a day and a month are for the instance, a person and a trigger", async () => {
  const { config, warnings } = await read(
    `${agents("a: { image: x, command: [x], model: strong, bids: [{ on: A, bid: claim }] }")}limits:
  budget:
    per_goal: 5usd
    per_day: "50usd, 2M tokens"
    per_month: { usd: 600 }
    people: { "Ada@example.org": { per_day: 10usd }, "*": { per_day: 5usd } }
triggers:
  nightly: { cron: "0 3 * * *", goal: Check, budget: { per_goal: 4usd, per_month: 20usd } }
services: { api: { tokens: [{ name: t, secret: s, may: [read] }] } }
secrets: { s: { command: [x] } }
${models}`,
  );
  expect(warnings).toEqual([]);
  const usd = (amount: number) => ({ nanousd: amount * 1_000_000_000 });
  expect(config.limits.budget).toEqual(usd(5));
  expect(config.limits.spending).toEqual({
    instance: { day: { ...usd(50), tokens: 2_000_000 }, month: usd(600) },
    people: { "ada@example.org": { day: usd(10) }, "*": { day: usd(5) } },
    triggers: { nightly: { goal: usd(4), month: usd(20) } },
  });
});

test("one goal has one budget, and an amount has a unit", async () => {
  const a = "a: { image: x, command: [x], model: strong, bids: [{ on: A, bid: claim }] }";
  expect(
    await mistakesIn(`${agents(a)}limits: { budget: { per_goal: 5usd, usd: 5 } }\n${models}`, host),
  ).toEqual([
    "sett.yml:4:31 limits.budget.per_goal: cannot be combined with `usd`, `tokens` or `calls`: both are for one goal",
  ]);
  expect(
    await mistakesIn(`${agents(a)}limits: { budget: { per_day: "5" } }\n${models}`, host),
  ).toEqual([
    "sett.yml:4:30 limits.budget.per_day: has no unit: write `5usd`, `200k tokens`, `50 calls`, or one of each with commas",
  ]);
});

describe("warnings", () => {
  test("a budget that allows no single call", async () => {
    const { warnings } = await read(
      `${agents(
        "a: { image: x, command: [x], model: strong, bids: [{ on: A, bid: claim }], budget: { usd: 0.1 } }",
        "b: { image: x, model: strong, prompts: { execution: e }, bids: [{ on: A, bid: claim }], budget: { usd: 0.5 } }",
      )}limits: { budget: { per_goal: 5usd, per_day: 1000 tokens } }\n${models}`,
    );
    expect(warnings).toEqual([
      "f:3:78 agents.a.budget: is less than one call of a model may cost: an answer of 128000 tokens costs $1.28. Raise it, or write a smaller `max_output` for the model",
      "f:5:46 limits.budget.per_day: is less than one call of a model may need: its answer may have 8192 tokens. Raise it, or write a smaller `max_output` for the model",
    ]);
  });

  test("a budget without models", async () => {
    const { warnings } = await read(
      `${agents("a: { image: x, command: [x] }")}limits: { budget: { usd: 5 } }\n`,
    );
    expect(warnings).toEqual(["f:4:11 limits.budget: has no effect: the file has no `models`"]);
  });

  test("an agent that ignores everything", async () => {
    const two = `${models}  weak: { provider: openai, model: gpt-5, key: $KEY }\n`;
    const { warnings } = await read(
      agents(
        "e: { image: x, command: [x], model: weak, prompts: { claim: c } }",
        "a: { image: x, command: [x], prompts: { claim: c } }",
        "b: { image: x, command: [x], prompts: { claim: c }, bid_command: [x] }",
        "c: { image: x, model: strong, prompts: { execution: e } }",
        "d: { image: x, command: [x], prompts: { execution: e } }",
      ) + two,
    );
    expect(warnings).toEqual([
      "f:4:32 agents.a.prompts: need a `model`: without one, or `bids`, this agent ignores everything",
    ]);
  });

  test("variables that the cub sets itself, a model without an agent, a price that is not known, a budget of 0", async () => {
    const text = agents(
      "a: { image: x, model: strong, command: [x], bids: [{ on: A, bid: claim }], budget: { tokens: 0 }, environment: [OPENAI_API_KEY=x, OPENAI_ORG=y] }",
      "b: { image: x, model: new, command: [x], bids: [{ on: A, bid: claim }], environment: [A=b] }",
      "c: { image: x, command: [x], environment: [OPENAI_API_KEY=x] }",
    );
    const more =
      "  new: { provider: openai, model: gpt-99, key: $KEY }\n  idle: { provider: openai, model: gpt-5, key: $KEY }\n";
    expect(
      (await read(`${text}limits: { budget: { usd: 0 } }\n${models}${more}`)).warnings,
    ).toEqual([
      "f:3:96 agents.a.budget.tokens: is 0, which allows no call of a model",
      "f:3:101 agents.a.environment: sets `OPENAI_API_KEY`, `OPENAI_ORG`, which `model` sets, too: the address and token of the gateway count",
      "f:5:32 agents.c.environment: `OPENAI_API_KEY` is of no use here, because this agent reaches no network: below `models` its key lets the agent ask a model, and stays out of its container",
      "f:6:26 limits.budget.usd: is 0, which allows no call of a model",
      "f:9:3 models.new: the price of `gpt-99` is not known, so that its calls count as 0 dollars: write its `price`, or `tokens` or `calls` in `limits.budget`",
      "f:10:3 models.idle: no agent has `model: idle`",
    ]);
    const limited = `limits: { budget: { calls: 9 } }\n${models}${more.split("\n")[0]}\n`;
    expect(
      (await read(text.replace(/budget: .*, environment/, "environment") + limited)).warnings.join(
        "\n",
      ),
    ).not.toContain("is not known");
  });
});
