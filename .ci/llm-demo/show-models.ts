// `npm run demo -- --llm`: a coder and a reviewer that are prompts change a small repository. Their
// model's answers were recorded.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { isInterrupted, need, quoted, run, sett } from "../demo-steps.ts";
import { addAgents, cassettes, makeRepository, reachGoal } from "./goal.ts";

const excerptLines = 40;

export async function showModels({
  isKept,
  runtime,
}: {
  isKept: boolean;
  runtime: string;
}): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), "sett-demo-"));
  const folder = join(parent, "slug");
  const name = `demo-${parent.slice(-6).toLowerCase()}`;
  let isUp = false;
  try {
    await makeRepository(folder);
    console.log(`
THIS IS A REPLAY. No language model is asked, no key is needed and nothing leaves this machine: every call of the model is answered
from a file in agents/llm-demo/cassettes, and its cost is what the call would have cost. All else is real: the agents, their commands,
the tests that they run, the review, the budgets and the commits. agents/llm-demo/README.md says where the answers come from.

A small repository: ${folder}`);
    await addAgents(folder);
    const how = runtime === "docker" ? [] : ["--runtime", runtime];
    await need(folder, "sett", "up", "--name", name, ...how, "--replay", cassettes);
    isUp = true;
    console.log(`
The goal leaves open how long is too long, so the coder asks, and this demo answers as a person would. The reviewer then tries the
commit, finds a fault, and the coder reworks its commit.`);
    const { goal, commit } = await reachGoal(folder, name);
    await showRecord(folder, name, { goal, commit });
    if (isKept) printNextCommands(folder, commit);
  } finally {
    if (!isKept || isInterrupted()) {
      if (isUp) await run(folder, "sett", "down", "--name", name, "--volumes", "--force");
      await rm(parent, { recursive: true, force: true });
    }
  }
}

async function showRecord(
  folder: string,
  name: string,
  { goal, commit }: { goal: string; commit: string },
): Promise<void> {
  console.log("\nWhat was made, and what each artefact has cost:");
  await need(folder, "sett", "hoard", "--name", name);
  await need(folder, "sett", "graph", "--name", name);
  console.log("\nThe budget of the goal, as it would be with a key:");
  await need(folder, "sett", "budget", goal.slice(0, 8), "--name", name);
  console.log(
    "\nThe commits, in the repository on this machine (its HEAD, index and files are untouched):",
  );
  await need(
    folder,
    "git",
    "--no-pager",
    "log",
    "--format=%h %an: %s",
    `HEAD..refs/sett/${name}/${commit}`,
  );
  await need(folder, "git", "--no-pager", "diff", `HEAD...refs/sett/${name}/${commit}`);
  console.log("\nThe end of the coder's conversation with its model, from the record:");
  console.log(
    `\n$ ${quoted(["sett", "unearth", commit.slice(0, 8), "--transcript", "--name", name])} | tail -n ${excerptLines}`,
  );
  const transcript = await $`${sett} unearth ${commit} --transcript --name ${name}`
    .cwd(folder)
    .text();
  console.log(transcript.trimEnd().split("\n").slice(-excerptLines).join("\n"));
}

function printNextCommands(folder: string, commit: string): void {
  const own = quoted([sett]);
  console.log(`
To look further:
  cd ${quoted([folder])}
  ${own} unearth ${commit.slice(0, 8)} --transcript
  ${own} status
  ${own} down --volumes        # remove everything

With a key of your own, in this repository:
  export ANTHROPIC_API_KEY=…
  ${own} up                    # without --replay: the model is asked`);
}
