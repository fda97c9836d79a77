// A repository to write a changelog for, and the changelog agent to ask.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FullToolOutput, formatToolInput } from "../../../lib/model/tool-contract.ts";
import { newClaimId, sampleArtefact } from "../records/sample.ts";
import { git, gitWithInput, runAgent } from "./run-agent.ts";

export function withoutHashes(text: string): string {
  return text.replaceAll(/\([0-9a-f]{7,}\)/g, "(…)");
}

/** An empty repository in a folder with spaces in its name. */
export async function repository() {
  const folder = await mkdtemp(join(tmpdir(), "sett changelog "));
  await git(folder, "init", "-q", "-b", "main");
  return sceneIn(folder);
}

/** A repository that is there, until the end. */
export async function sceneIn(folder: string) {
  await git(folder, "config", "user.name", "Ada");
  await git(folder, "config", "user.email", "ada@example.org");
  const askAbout = async (
    target: ReturnType<typeof sampleArtefact>,
    chain: ReturnType<typeof sampleArtefact>[] = [],
  ) => {
    const work = { target_artefact: target, context_chain: chain, additional_context: [] };
    const input = formatToolInput({ claim_type: "exclusive", claim_id: newClaimId(), ...work });
    const { exitCode, stdout, stderr } = await runAgent("changelog", input, folder);
    if (exitCode !== 0) throw new Error(stderr);
    return FullToolOutput.parse(JSON.parse(stdout));
  };
  return {
    folder,
    askAbout,
    ask: (goal: string, metadata: Record<string, string> = {}) =>
      askAbout(sampleArtefact({ type: "GoalDefined", payload: goal, metadata })),
    changelog: () => readFile(join(folder, "CHANGELOG.md"), "utf8"),
    async commit(subject: string, file: string, content = `${subject}\n`) {
      await writeFile(join(folder, file), content);
      await git(folder, "add", file);
      await git(folder, "commit", "-q", "-m", subject);
    },
    async fastImport(stream: string) {
      await gitWithInput(folder, stream, "fast-import", "--quiet");
      await git(folder, "reset", "-q", "--hard");
    },
    /** As the cub makes it: its own repository, borrowing the objects and nothing else. */
    async workingCopy() {
      const copy = await mkdtemp(join(tmpdir(), "sett changelog copy "));
      await git(copy, "init", "-q");
      await writeFile(
        join(copy, ".git/objects/info/alternates"),
        `${join(folder, ".git/objects")}\n`,
      );
      await git(copy, "checkout", "-q", "--detach", await git(folder, "rev-parse", "HEAD"));
      return sceneIn(copy);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
