// Where there is no sett.yml yet: writes the one of `sett init` and commits it, once the person has agreed.
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { initFiles } from "../../../lib/config/init-files.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { existing, writeFiles } from "../program/write-files.ts";
import { listDirty } from "../render/dirty-files.ts";
import { LinePrompt } from "../terminal/line-prompt.ts";
import type { Shell } from "../terminal/shell.ts";

const subject = "Add a sett";

/**
 * Writes into the top folder of the repository. `isAgreed`: nobody is asked. `check` throws where a sett could not be started anyway. All is as it was
 * before when this throws: `config-missing` where nobody agrees, or there is no repository; `workspace-dirty`; `usage` where files are in the
 * way; `git-failed`.
 */
export async function beginSett(shell: Shell, isAgreed: boolean, check: () => Promise<unknown>): Promise<void> {
  const command = isAgreed || !shell.isInteractive ? "sett up --yes" : "sett up";
  const root = await workspaceRoot(shell.cwd);
  if (root === undefined) {
    throw new SettError("config-missing", `There is no sett.yml, and ${shell.cwd} is not in a git repository.`, {
      hint: `Make it one, and begin a sett in it: git init && ${command}`,
    });
  }
  if (!isAgreed && !shell.isInteractive) {
    throw new SettError("config-missing", `There is no sett.yml in ${root}.`, {
      hint: "Write one with an example agent, commit it and start it: sett up --yes. Or only write it: sett init",
    });
  }
  const repository = await HostRepository.open(root, { env: shell.env, mayBeEmpty: true });
  const dirty = await repository.dirtyFiles();
  if (dirty.length > 0) {
    const what = "There is no sett.yml yet, and beside changes that are not committed none is begun";
    throw new SettError("workspace-dirty", `${what}:\n${listDirty(dirty)}`, {
      hint: `Commit them (\`git add -A && git commit\`), or put them aside (\`git stash -u\`); then: ${command}`,
    });
  }
  const files = initFiles();
  const inTheWay = await existing(root, files);
  if (inTheWay.length > 0) {
    const list = inTheWay.map((path) => `  ${path}`).join("\n");
    throw new SettError("usage", `There is no sett.yml yet, and these files are in the way of a first one:\n${list}`, {
      hint: "Move them away, or replace them: sett init --force",
    });
  }
  await check();
  if (!isAgreed) await requireConsent(shell, root, files);
  const paths = files.map(({ path }) => path);
  await writeFiles(root, files);
  try {
    await repository.commitNewFiles(paths, subject);
  } catch (error) {
    await removeFiles(root, paths);
    throw error;
  }
  shell.messages.done(`Written and committed (“${subject}”): ${paths.join(", ")}`);
}

async function requireConsent({ messages, interrupted }: Shell, root: string, files: { path: string }[]): Promise<void> {
  messages.note(`There is no sett.yml in ${root} yet. A first one, with an example agent, would be:`);
  for (const { path } of files) messages.next(path);
  using prompt = new LinePrompt("Write these files, commit them and start the sett? [y/N] ");
  const dismiss = () => prompt.dismiss();
  interrupted.addEventListener("abort", dismiss, { once: true });
  const answer = await prompt.ask("");
  interrupted.removeEventListener("abort", dismiss);
  if (interrupted.aborted) throw new SettError("interrupted", "Interrupted: nothing was written.");
  if (/^y(?:es)?$/i.test(answer?.trim() ?? "")) return;
  throw new SettError("config-missing", "There is no sett.yml, and none was written.", {
    hint: "Write one that you can look at and commit yourself: sett init",
  });
}

/** And the folders that are empty then. */
async function removeFiles(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(join(root, path), { force: true });
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      await rmdir(join(root, folder)).catch(() => undefined);
    }
  }
}
