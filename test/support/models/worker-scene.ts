// What the built-in worker works on: a real repository, and the work as it is put in. run-worker.ts
// starts it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import { agentName, newClaimId, sampleArtefact } from "../records/sample.ts";

/** A repository with one commit of a README and a source, in a folder of its own. */
export function workRepository() {
  const folder = mkdtempSync(join(tmpdir(), "sett-work-"));
  // No one's configuration of git counts.
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
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

/** All the text that the model was given in a request, the outputs of tools too. */
export function textOf(request: { text: string } | undefined): string {
  return JSON.stringify(JSON.parse(request?.text ?? "{}"), null, 0)
    .replaceAll("\\n", "\n")
    .replaceAll('\\"', '"');
}
