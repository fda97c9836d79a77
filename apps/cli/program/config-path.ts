// Finds the sett.yml that a command works with.
import { dirname, join, relative, resolve } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import { exists } from "./workspace-root.ts";

const fileName = "sett.yml";

/**
 * The path in `option`, else the nearest sett.yml from `cwd` upwards, within the repository. The
 * result is meant for messages: relative to `cwd` where that is shorter. The nearest sett.yml may
 * be missing; throws `config-missing` where the file of `option` is missing.
 */
export async function configPath(cwd: string, option: string | undefined): Promise<string> {
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

/** Whether no file was named, and there is none up to the top of the repository. */
export async function lacksConfig(cwd: string, option: string | undefined): Promise<boolean> {
  return option === undefined && !(await exists(resolve(cwd, await configPath(cwd, undefined))));
}

function shorter(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.length < path.length ? short : path;
}
