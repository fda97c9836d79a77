// Where there is no sett.yml yet: writes and commits the files of `sett init`, after the person has
// agreed.
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dirtyHint, listDirty } from "../../../../lib/client/render/dirty-files.ts";
import { initFiles } from "../../../../lib/config/init-files.ts";
import { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { notInRepository } from "../../program/not-in-repository.ts";
import { workspaceRoot } from "../../program/workspace-root.ts";
import { existing, writeFiles } from "../../program/write-files.ts";
import { confirm } from "../../terminal/confirm.ts";
import type { Shell } from "../../terminal/shell.ts";

const subject = "Add a sett";
const fileName = "sett.yml";

/**
 * Writes into the top folder of the repository. `isAgreed`: does not ask the person. `check` throws
 * where a sett could not be started anyway. When this throws, nothing has changed: `config-missing`
 * where the person does not agree, or outside of a repository; `workspace-dirty`; `usage` where one
 * of the files exists; `git-failed`.
 */
export async function createFirstSett(
  shell: Shell,
  isAgreed: boolean,
  check: () => Promise<unknown>,
): Promise<void> {
  const command = isAgreed || !shell.isInteractive ? "sett up --yes" : "sett up";
  const root = await workspaceRoot(shell.cwd);
  if (root === undefined) {
    throw await notInRepository(shell.cwd, {
      code: "config-missing",
      message: `There is no sett.yml, and ${shell.cwd} is not in a git repository.`,
      hint: `Make it a repository and start a sett in it: git init && ${command}`,
    });
  }
  // First, for a layout with work trees beside a bare repository has no files here.
  const repository = await HostRepository.open(root, { env: shell.env, mayBeEmpty: true });
  if (await repository.isTracked(join(root, fileName)))
    throw new SettError(
      "config-missing",
      `${fileName} is in the commits of ${root}, and not in the folder.`,
      {
        hint: `Where a sparse checkout leaves it out: git sparse-checkout add ${fileName}. Where it was removed: git restore ${fileName}`,
      },
    );
  if (!isAgreed && !shell.isInteractive) {
    throw new SettError("config-missing", `There is no sett.yml in ${root}.`, {
      hint: "Write one with an example agent, commit it and start it: sett up --yes. Only write it: sett init",
    });
  }
  const onSlow = (sentence: string) => shell.messages.note(sentence);
  const dirty = await repository.dirtyFiles(onSlow);
  if (dirty.length > 0) {
    const what =
      "There is no sett.yml yet, and sett writes one only into a clean repository. These changes are not committed";
    throw new SettError("workspace-dirty", `${what}:\n${listDirty(dirty)}`, {
      hint: `${dirtyHint(dirty)} Then: ${command}`,
    });
  }
  const files = initFiles();
  const present = await existing(root, files);
  if (present.length > 0) {
    const list = present.map((path) => `  ${path}`).join("\n");
    throw new SettError(
      "usage",
      `There is no sett.yml yet, and sett would overwrite these files:\n${list}`,
      {
        hint: "Move them to another place, or replace them: sett init --force",
      },
    );
  }
  await check();
  if (!isAgreed) await requireConsent(shell, root, files);
  const paths = files.map(({ path }) => path);
  const { interrupted: signal } = shell;
  shell.onAbandon(() => leftBehind(paths));
  writeFiles(root, files);
  try {
    const failure = await repository.commitNewFiles({ paths, subject, signal, onSlow });
    if (failure !== undefined)
      shell.messages.warn(
        `The index lacks the files that were committed: ${failure}. Correct it: git reset`,
      );
  } catch (error) {
    await removeFiles(root, paths);
    throw error;
  }
  shell.onAbandon(() => undefined);
  if (signal.aborted)
    throw new SettError(
      "interrupted",
      `Interrupted: the files are committed (“${subject}”), and no sett was started.`,
    );
  shell.messages.done(`Written and committed (“${subject}”): ${paths.join(", ")}`);
}

async function requireConsent(
  { messages, interrupted }: Shell,
  root: string,
  files: { path: string }[],
): Promise<void> {
  messages.note(
    `There is no sett.yml in ${root} yet. sett can write these files, with an example agent:`,
  );
  for (const { path } of files) messages.next(path);
  if (await confirm({ interrupted }, "Write these files, commit them and start the sett?")) return;
  if (interrupted.aborted) throw new SettError("interrupted", "Interrupted: nothing was written.");
  throw new SettError("config-missing", "There is no sett.yml, and none was written.", {
    hint: "To write the files and commit them yourself: sett init",
  });
}

/** A second interruption has ended the clean-up. */
function leftBehind(paths: readonly string[]): SettError {
  return new SettError(
    "interrupted",
    `Interrupted: these files were written, and are not committed: ${paths.join(", ")}`,
    {
      hint: "Remove them (`git clean -n` lists them), then try again.",
    },
  );
}

/** Removes the files, and folders that are empty then. */
async function removeFiles(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(join(root, path), { force: true });
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      await rmdir(join(root, folder)).catch(() => undefined);
    }
  }
}
