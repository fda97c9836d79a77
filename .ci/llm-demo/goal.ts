// The goal of the demo of two agents that are prompts, from the repository to the commit. The demo
// shows it, and the recording makes it.
import { join } from "node:path";
import { $ } from "bun";
import { DemoError, expectEnd, need, project, sett } from "../demo-steps.ts";
import { answerOfPerson, goal } from "./script.ts";

export const demoFolder = join(project, "agents/llm-demo");
export const cassettes = join(demoFolder, "cassettes");

/** A repository with the two agents that `sett init --llm` writes. */
export async function makeRepository(folder: string): Promise<void> {
  await $`${join(demoFolder, "make-repository.sh")} ${folder}`;
}

export async function addAgents(folder: string): Promise<void> {
  await need(folder, "sett", "init", "--llm");
  await need(folder, "git", "add", "--all");
  await need(folder, "git", "commit", "--quiet", "--message", "Add a coder and a reviewer");
}

type Listed = { id: string; type: string };

/**
 * Posts the goal, and answers the coder's question. Returns the ids of the goal and of its last
 * commit.
 */
export async function reachGoal(
  folder: string,
  name: string,
): Promise<{ goal: string; commit: string }> {
  await expectEnd(4, folder, "sett", "forage", "--name", name, "--watch", "--goal", goal);
  await need(folder, "sett", "questions", "--name", name);
  const [question]: Listed[] = await $`${sett} questions --name ${name} --json`.cwd(folder).json();
  if (question === undefined)
    throw new DemoError("No question waits for an answer.", "`sett status` says why.");
  await need(
    folder,
    "sett",
    "answer",
    question.id.slice(0, 8),
    answerOfPerson,
    "--name",
    name,
    "--watch",
  );
  const artefacts: Listed[] = await $`${sett} hoard --name ${name} --json`.cwd(folder).json();
  const posted = artefacts.find(({ type }) => type === "GoalDefined");
  const commit = artefacts.findLast(({ type }) => type === "CodeCommit");
  if (posted === undefined || commit === undefined)
    throw new DemoError("The goal has ended without a commit.", "Its events are above.");
  return { goal: posted.id, commit: commit.id };
}
