import { expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { initFiles, llmInitFiles } from "../../../../lib/config/init-files.ts";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, failureOf } from "../../../support/config/config-file.ts";
import { root } from "../../../support/root.ts";

test("what `sett init` writes is valid with no edit, and takes up a goal", async () => {
  await using made = await configFolder(
    Object.fromEntries(initFiles().map(({ path, content }) => [path, content])),
  );
  const { config, warnings } = await readConfig(made.path, {});
  expect(warnings).toEqual([]);
  expect(config.agents.map(({ name, command, bids }) => [String(name), command, bids])).toEqual([
    ["example-agent", ["/app/run.sh"], [{ on: "GoalDefined", bid: "exclusive" }]],
  ]);
});

test("the written agent is the repository's own, and its script can be run", async () => {
  const agent = initFiles().filter(({ path }) => path.startsWith("agents/"));
  expect(agent.map(({ path }) => path).sort()).toEqual(
    ["Dockerfile", "README.md", "run.sh"].map((name) => `agents/example-agent/${name}`),
  );
  for (const { path, content, mode } of agent) {
    expect(content).toBe(await readFile(join(root, path), "utf8"));
    expect(mode).toBe(path.endsWith(".sh") ? 0o755 : 0o644);
    expect((await stat(join(root, path))).mode & 0o100).toBe(mode & 0o100);
  }
});

test("every setting that the written file shows in a comment is valid as it is", async () => {
  const files = Object.fromEntries(initFiles().map(({ path, content }) => [path, content]));
  const uncommented = (files["sett.yml"] ?? "").replaceAll(
    /^ {4}# {1,3}(?=\w+: |environment:|- )/gm,
    (start) => (start.length === 8 ? "      " : "    "),
  );
  expect(uncommented).toContain("\n    retries: 0");
  await using made = await configFolder({ ...files, "sett.yml": uncommented });
  const { config } = await readConfig(made.path, { GITHUB_TOKEN: "t" });
  const [agent] = config.agents;
  expect(agent?.environment).toEqual({ LOG_LEVEL: "debug", GITHUB_TOKEN: "t" });
  await using plain = await configFolder(files);
  const [unchanged] = (await readConfig(plain.path, {})).config.agents;
  // These two are examples; every other setting is shown with its default, and so changes nothing.
  const isShown = { environment: {}, resources: {}, source: {} };
  expect({ ...agent, ...isShown }).toEqual({ ...unchanged, ...isShown } as typeof agent &
    typeof isShown);
});

test("what `sett init --llm` writes needs a key, and nothing else: a coder that asks a model, and a reviewer of its commits", async () => {
  await using made = await configFolder(
    Object.fromEntries(llmInitFiles().map(({ path, content }) => [path, content])),
  );
  const { config, warnings } = await readConfig(made.path, { ANTHROPIC_API_KEY: "sk-1" });
  expect(warnings).toEqual([]);
  expect(config.models).toMatchObject({
    keys: { strong: "sk-1" },
    settings: { strong: { provider: "anthropic" } },
  });
  // The list of Sett knows its price, so that the budget in dollars holds.
  expect(config.models.settings.strong?.price).toBeDefined();
  const [coder, reviewer, ...others] = config.agents;
  expect(others).toEqual([]);
  expect(coder).toMatchObject({
    name: "coder",
    model: "strong",
    command: [],
    workspace: { mode: "rw" },
    on_budget: "ask",
  });
  expect(coder?.prompts).toEqual({
    claim: expect.stringContaining("exclusive"),
    execution: expect.stringContaining("CodeCommit"),
  });
  expect(reviewer).toMatchObject({
    name: "reviewer",
    model: "strong",
    command: [],
    bids: [{ on: "CodeCommit", bid: "review" }],
  });
  expect((await failureOf(readConfig(made.path, {}))).message).toContain(
    "needs the variable `ANTHROPIC_API_KEY`",
  );
});

test("the models that it shows in comments are valid as they are", async () => {
  const files = Object.fromEntries(llmInitFiles().map(({ path, content }) => [path, content]));
  const comments = [...(files["sett.yml"] ?? "").matchAll(/^ {2}# (strong: .*)$/gm)].map(
    ([, line = ""]) => line,
  );
  expect(comments.length).toBe(2);
  for (const line of comments) {
    const text = (files["sett.yml"] ?? "").replace(/^ {2}strong:\n(?: {4}.*\n)+/m, `  ${line}\n`);
    await using made = await configFolder({ ...files, "sett.yml": text });
    const { config, warnings } = await readConfig(made.path, { OPENAI_API_KEY: "sk-1" });
    expect(warnings.map(formatProblem)).toEqual([]);
    expect(config.models.settings.strong).toMatchObject({
      provider: "openai",
      price: expect.anything(),
    });
  }
});

test("the agents that it writes are the repository's own", async () => {
  const agents = llmInitFiles().filter(({ path }) => path.startsWith("agents/"));
  const names = ["coder", "reviewer"].flatMap((name) =>
    ["Dockerfile", "README.md"].map((file) => `agents/llm-${name}/${file}`),
  );
  expect(agents.map(({ path }) => path)).toEqual(names);
  for (const { path, content } of agents)
    expect(content).toBe(await readFile(join(root, path), "utf8"));
});

test("the example at the root is valid and uses both agents, and a prompt", async () => {
  const { config, warnings } = await readConfig(join(root, "sett.example.yml"), {});
  expect(warnings.map(formatProblem)).toEqual([]);
  expect(
    config.agents.map(({ name, source }) => [
      String(name),
      source.kind === "build" && source.context,
    ]),
  ).toEqual([
    ["changelog", join(root, "agents/changelog")],
    ["example-agent", join(root, "agents/example-agent")],
    ["writer-of-readme", false],
    ["lane", false],
  ]);
});
