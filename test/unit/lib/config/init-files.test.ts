import { expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { initFiles } from "../../../../lib/config/init-files.ts";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder } from "../../../support/config/config-file.ts";
import { root } from "../../../support/root.ts";

test("what `sett init` writes is valid with no edit, and takes up a goal", async () => {
  await using made = await configFolder(Object.fromEntries(initFiles().map(({ path, content }) => [path, content])));
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
  const uncommented = (files["sett.yml"] ?? "").replaceAll(/^ {4}# {1,3}(?=\w+: |environment:|- )/gm, (start) =>
    start.length === 8 ? "      " : "    ",
  );
  expect(uncommented).toContain("\n    retries: 0");
  await using made = await configFolder({ ...files, "sett.yml": uncommented });
  const { config } = await readConfig(made.path, { GITHUB_TOKEN: "t" });
  expect(config.agents[0]?.environment).toEqual({ LOG_LEVEL: "debug", GITHUB_TOKEN: "t" });
});

test("the example at the root is valid and uses both agents", async () => {
  const { config, warnings } = await readConfig(join(root, "sett.example.yml"), {});
  expect(warnings.map(formatProblem)).toEqual([]);
  expect(config.agents.map(({ name, source }) => [String(name), source.kind === "build" && source.context])).toEqual([
    ["changelog", join(root, "agents/changelog")],
    ["example-agent", join(root, "agents/example-agent")],
  ]);
});
