// Records agents/llm-demo/cassettes anew, with the scripted model: `just record-demo`, after the
// prompts or the worker's tools have changed. With ANTHROPIC_API_KEY and `--real` the real model of
// `sett init --llm` is asked; then the goal may go another way than the demo.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { DemoError, need, project, run } from "./demo-steps.ts";
import { addAgents, cassettes, makeRepository, reachGoal } from "./llm-demo/goal.ts";
import { startScriptedModel } from "./llm-demo/scripted-model.ts";

const isReal = process.argv.includes("--real");

async function record(): Promise<void> {
  await $`${process.execPath} run .ci/build.ts --host`.cwd(project);
  await using model = startScriptedModel();
  const parent = await mkdtemp(join(tmpdir(), "sett-record-"));
  const folder = join(parent, "slug");
  const recorded = join(parent, "cassettes");
  const name = `record-${parent.slice(-6).toLowerCase()}`;
  if (!isReal) process.env.ANTHROPIC_API_KEY = "scripted";
  try {
    await makeRepository(folder);
    await addAgents(folder);
    if (!isReal) await pointTo(folder, model.baseUrl);
    await need(folder, "sett", "up", "--name", name, "--runtime", "process", "--record", recorded);
    await reachGoal(folder, name);
    if (model.problems.length > 0)
      throw new DemoError(
        `The script has no answer to a request: ${model.problems[0]}`,
        "Add it to .ci/llm-demo/script.ts.",
      );
    await rm(cassettes, { recursive: true, force: true });
    await cp(recorded, cassettes, { recursive: true });
    console.log(
      `\nRecorded ${(await readdir(cassettes, { recursive: true })).filter((file) => file.endsWith(".json")).length} exchanges in ${cassettes}.`,
    );
  } finally {
    await run(folder, "sett", "down", "--name", name, "--volumes", "--force");
    await rm(parent, { recursive: true, force: true });
  }
}

/** Neither the address nor the commit is part of what the model is asked. */
async function pointTo(folder: string, baseUrl: string): Promise<void> {
  const file = join(folder, "sett.yml");
  const text = await Bun.file(file).text();
  await Bun.write(
    file,
    text.replace(
      "    provider: anthropic\n",
      `    provider: anthropic\n    base_url: ${baseUrl}\n`,
    ),
  );
  await need(folder, "git", "commit", "--quiet", "--all", "--message", "Ask the scripted model");
}

try {
  await record();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(`\nrecord-demo: ${error.message}\n  → ${error.hint}`);
  process.exitCode = 1;
}
