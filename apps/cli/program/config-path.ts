// Which sett.yml is meant?
import { dirname, join, relative, resolve } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import { exists } from "./workspace-root.ts";

const fileName = "sett.yml";

/**
 * The file given, else the nearest sett.yml from `cwd` upwards, within the repository; as a path to show, relative to `cwd` where that is
 * shorter. Only the nearest need not exist: throws `config-missing`.
 */
export async function configPath(cwd: string, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (!(await exists(resolve(cwd, given)))) {
      throw new SettError("config-missing", `There is no ${given}.`, {
        hint: `\`--file\` is looked for from ${cwd}; without it the nearest sett.yml counts.`,
      });
    }
    return relative(cwd, resolve(cwd, given)).startsWith("..") ? resolve(cwd, given) : given;
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, fileName);
    if (await exists(path)) return shown(cwd, path);
    if (dirname(folder) === folder || (await exists(join(folder, ".git")))) return fileName;
  }
}

/** No file is given, and there is none up to the top of the repository. */
export async function lacksConfig(cwd: string, given: string | undefined): Promise<boolean> {
  return given === undefined && !(await exists(resolve(cwd, await configPath(cwd, undefined))));
}

function shown(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.length < path.length ? short : path;
}
