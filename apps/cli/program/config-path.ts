// Finds the sett.yml that a command works with.
import { dirname, join, relative, resolve } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import { exists, workspaceRoot } from "./workspace-root.ts";

const fileName = "sett.yml";

type Around = Pick<Shell, "cwd" | "env">;

/**
 * The path in `option`, else the nearest sett.yml from `cwd` upwards, within the repository. The
 * result is meant for messages: relative to `cwd` where that is shorter. The nearest sett.yml may
 * be missing; throws `config-missing` where the file of `option` is missing. In a bare repository
 * as `bareConfig`.
 */
export async function configPath(shell: Around, option: string | undefined): Promise<string> {
  return (await findConfig(shell, option)).file;
}

/**
 * `from`: in a bare repository, the commit that the file is of. `name`: as messages name it there.
 */
export async function findConfig(
  shell: Around,
  option: string | undefined,
): Promise<{ file: string; from?: CommitHash; name?: string }> {
  const { cwd } = shell;
  const bare = await bareRoot(cwd);
  if (bare === undefined) return { file: await pathInFiles(cwd, option) };
  const { bareConfig } = await import("./bare-config.ts");
  const { file, commit, name } = await bareConfig(bare, option, shell);
  return { file: shorter(cwd, file), from: commit, name };
}

async function bareRoot(cwd: string): Promise<string | undefined> {
  const root = await workspaceRoot(cwd);
  return root !== undefined && !(await exists(join(root, ".git"))) ? root : undefined;
}

async function pathInFiles(cwd: string, option: string | undefined): Promise<string> {
  if (option !== undefined) {
    if (!(await exists(resolve(cwd, option)))) {
      throw new SettError("config-missing", `There is no ${option}.`, {
        hint: `\`--file\` is relative to ${cwd}. Without it, sett uses the nearest sett.yml.`,
      });
    }
    return relative(cwd, resolve(cwd, option)).startsWith("..") ? resolve(cwd, option) : option;
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, fileName);
    if (await exists(path)) return shorter(cwd, path);
    if (dirname(folder) === folder || (await exists(join(folder, ".git")))) return fileName;
  }
}

/**
 * Whether no file was named, and there is none up to the top of the repository. Never in a bare
 * one, into which none can be written.
 */
export async function lacksConfig(cwd: string, option: string | undefined): Promise<boolean> {
  if (option !== undefined || (await bareRoot(cwd)) !== undefined) return false;
  return !(await exists(resolve(cwd, await pathInFiles(cwd, undefined))));
}

function shorter(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.length < path.length ? short : path;
}
