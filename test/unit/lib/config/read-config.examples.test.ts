// Files as users of what came before Sett would write them: they are valid as soon as what they
// name exists.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { checkConfig } from "../../../../lib/config/read-config.ts";
import { ModelName } from "../../../../lib/model/config-models.ts";
import { configFolder } from "../../../support/config/config-file.ts";

const example = (name: string) =>
  Bun.file(join(import.meta.dir, "../../../support/config", name)).text();

const host = { GITHUB_TOKEN: "secret" };

test("an agent with everything but bids is valid; that it ignores everything without a model is said", async () => {
  const text = await example("whole-agent.sett.yml");
  await using made = await configFolder({
    "sett.yml": text,
    "agents/go-coder/Dockerfile": "FROM scratch\n",
  });
  const { config, mistakes, warnings } = await checkConfig(made.path, host);
  expect(mistakes).toEqual([]);
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringContaining("`GITHUB_TOKEN` is of use only where its server is reached"),
    expect.stringMatching(/agents\.go-coder-agent\.prompts: need a `model`: .* ignores everything/),
  ]);
  expect(config?.agents[0]).toMatchObject({
    environment: { GITHUB_TOKEN: "secret", LOG_LEVEL: "debug" },
    resources: { limits: { cpus: 0.5 }, reservations: { memory_bytes: 256 * 1024 ** 2 } },
  });
  // One line more, and its prompts have the model that they need.
  await using whole = await configFolder({
    "sett.yml": `${text}models: { strong: { provider: anthropic, model: claude-sonnet-5, key: k } }\n`,
    "agents/go-coder/Dockerfile": "FROM scratch\n",
  });
  const checked = await checkConfig(whole.path, host);
  expect(checked.config?.agents[0]?.model).toBe(ModelName.parse("strong"));
  expect(checked.warnings.map(formatProblem).filter((line) => line.includes("prompts"))).toEqual(
    [],
  );
});

test("an agent that is a devcontainer and two prompts is valid, and it is said what it needs to act", async () => {
  const text = await example("devcontainer-agent.sett.yml");
  const devcontainer = '{ "image": "debian:bookworm-slim" }';
  await using made = await configFolder({
    "sett.yml": text,
    "agents/go-coder/.devcontainer/devcontainer.json": devcontainer,
  });
  const { config, mistakes, missing, warnings } = await checkConfig(made.path, host);
  expect({ mistakes, missing }).toEqual({ mistakes: [], missing: [] });
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringContaining("`GITHUB_TOKEN` is of use only where its server is reached"),
    expect.stringMatching(/agents\.go-coder-agent\.prompts: need a `model`: .* ignores everything/),
  ]);
  expect(config?.agents[0]).toMatchObject({
    command: [],
    source: { kind: "devcontainer", folder: join(made.folder, "agents/go-coder") },
  });
});
