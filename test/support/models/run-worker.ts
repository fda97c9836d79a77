// The built-in worker as a process, with a model of the test.
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { serviceCommand } from "../process/compiled.ts";
import { type Format, type ScriptedAnswer, scriptedModel } from "./scripted-model.ts";
import type { WorkRepository } from "./worker-scene.ts";

export type WorkRun = {
  exitCode: number;
  answer: Record<string, unknown>;
  stdout: string;
  stderr: string;
};

/** Starts the worker in the repository. The environment is the cub's for this agent. */
export function startWorker(
  repository: WorkRepository,
  input: ToolInput | string,
  environment: Record<string, string>,
) {
  const child = Bun.spawn([...serviceCommand("cub"), "--work"], {
    cwd: repository.folder,
    env: {
      ...repository.env,
      SETT_GIT_BINARY: "git",
      SETT_AGENT_NAME: "coder",
      SETT_PROMPT_EXECUTION: "You are careful.",
      ...environment,
    },
    stdin: new Blob([typeof input === "string" ? input : JSON.stringify(input)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const ended = (async (): Promise<WorkRun> => {
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode, stdout, stderr, answer: stdout === "" ? {} : JSON.parse(stdout) };
  })();
  return { child, ended };
}

/** One whole piece of work, with what the model was asked. */
export async function workWith(
  repository: WorkRepository,
  input: ToolInput,
  answers: readonly ScriptedAnswer[],
  {
    format = "anthropic",
    environment = {},
  }: { format?: Format; environment?: Record<string, string> } = {},
) {
  await using model = scriptedModel(format, answers);
  const run = await startWorker(repository, input, { ...model.environment, ...environment }).ended;
  return { ...run, requests: model.requests };
}
