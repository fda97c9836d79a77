// Records agents/eval-demo/cassettes anew, with scripted models: `just record-eval`, after the
// prompts there, the goals or the built-in worker's tools have changed.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { DemoError, expectEnd, need, project } from "./demo-steps.ts";
import { evalWorks } from "./eval-demo/script.ts";
import { startScriptedModel } from "./llm-demo/scripted-model.ts";

const demo = join(project, "agents/eval-demo");
const cassettes = join(demo, "cassettes");

async function record(): Promise<void> {
  await $`${process.execPath} run .ci/build.ts --host`.cwd(project);
  await using model = startScriptedModel(evalWorks);
  const parent = await mkdtemp(join(tmpdir(), "sett-record-"));
  const folder = join(parent, "slug");
  const recorded = join(parent, "cassettes");
  process.env.ANTHROPIC_API_KEY = "scripted";
  try {
    await $`${join(demo, "make-repository.sh")} ${folder}`;
    const file = join(folder, "sett.yml");
    const url = `provider: anthropic, base_url: "${model.baseUrl}"`;
    const text = await Bun.file(file).text();
    await Bun.write(file, text.replaceAll("provider: anthropic", url));
    await need(folder, "git", "commit", "--quiet", "--all", "--message", "Ask the scripted model");
    const settings = ["--with", "coder.model=cheap,strong", "--runtime", "process"];
    await expectEnd(1, folder, "sett", "eval", "eval.yml", ...settings, "--record", recorded);
    if (model.problems.length > 0)
      throw new DemoError(
        `The script has no answer to a request: ${model.problems[0]}`,
        "Add it to .ci/eval-demo/script.ts.",
      );
    await rm(cassettes, { recursive: true, force: true });
    await cp(recorded, cassettes, { recursive: true });
    const files = await readdir(cassettes, { recursive: true });
    console.log(
      `\nRecorded ${files.filter((name) => name.endsWith(".json")).length} exchanges in ${cassettes}.`,
    );
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

try {
  await record();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(`\nrecord-eval: ${error.message}\n  → ${error.hint}`);
  process.exitCode = 1;
}
