// The built-in worker as a process, on a real repository and a model of the test.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import { agentName, newClaimId, sampleArtefact } from "../records/sample.ts";
import { root } from "../root.ts";
import { type Format, type ScriptedAnswer, scriptedModel } from "./scripted-model.ts";

export const cubMain = join(root, "apps/cub/main.ts");

/** A repository with one commit of a README and a source, in a folder of its own. */
export function workRepository() {
  const folder = mkdtempSync(join(tmpdir(), "sett-work-"));
  // Bun keeps compiled sources in the home folder. No one's configuration of git counts.
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const git = (...args: string[]): string => {
    const run = Bun.spawnSync(["git", ...args], { cwd: folder, env });
    if (run.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr}`);
    return run.stdout.toString().trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "coder");
  git("config", "user.email", "coder@sett.invalid");
  writeFileSync(join(folder, "README.md"), "# Sums\n");
  writeFileSync(
    join(folder, "sum.ts"),
    "export function sum(a: number, b: number) {\n  return a - b;\n}\n",
  );
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  return {
    folder,
    git,
    env,
    head: () => git("rev-parse", "HEAD"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type WorkRepository = ReturnType<typeof workRepository>;

export function workInput(
  target: Artefact,
  over: Partial<Pick<ToolInput, "claim_type" | "context_chain" | "additional_context">> = {},
): ToolInput {
  return ToolInput.parse({
    claim_type: "exclusive",
    claim_id: newClaimId(),
    target_artefact: target,
    context_chain: [],
    additional_context: [],
    ...over,
  });
}

export const goalOf = (payload: string, commit?: string) =>
  sampleArtefact({
    payload,
    ...(commit !== undefined && { metadata: { commit } }),
  } as Partial<Artefact>);

export const byCoder = (over: Partial<Artefact>) =>
  sampleArtefact({ produced_by_role: "coder", produced_by_agent: agentName("coder"), ...over });

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
  const child = Bun.spawn([process.execPath, "run", cubMain, "--work"], {
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

/** All the text that the model was given in a request, the outputs of tools too. */
export function textOf(request: { text: string } | undefined): string {
  return JSON.stringify(JSON.parse(request?.text ?? "{}"), null, 0)
    .replaceAll("\\n", "\n")
    .replaceAll('\\"', '"');
}
