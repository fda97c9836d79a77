// The sett.yml of a bare repository: that of HEAD's commit, or of the one that a person names, as
// git names a file of a commit: `COMMIT:PATH`.
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import { lockFile } from "../../../lib/config/sett-lock.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import { exists } from "./workspace-root.ts";

/** `name`: of the file, with its commit as a person has named it: `HEAD:sett.yml`. */
export type BareConfig = { file: string; commit: CommitHash; name: string };

/**
 * Writes the file, and all that it names, into the repository's own folder. Throws `config-missing`
 * where the commit does not have it, `usage` where there is no such commit.
 */
export async function bareConfig(
  root: string,
  option: string | undefined,
  { env }: Pick<Shell, "env">,
): Promise<BareConfig> {
  const repository = await HostRepository.open(root, { env });
  const { revision, path } = readOption(option);
  const commit = await repository.resolve(revision);
  const lock = join(dirname(path), lockFile);
  const folder = await repository.filesOf(commit, [path, lock]);
  const file = join(folder, path);
  if (!(await exists(file))) {
    throw new SettError(
      "config-missing",
      `Commit ${commit.slice(0, 8)} (${revision}) has no ${path}.`,
      {
        hint: "In a clone: `sett init`, commit, push. Or name another commit or file: sett up --file BRANCH:PATH",
      },
    );
  }
  const text = await readFile(file, "utf8");
  const { places } = parseConfig({ text, file, folder: join(file, ".."), host: env });
  const named = places.map((place) =>
    place.kind === "build"
      ? place.context
      : place.kind === "devcontainer"
        ? place.folder
        : place.file,
  );
  const paths = named
    .map((each) => relative(folder, each))
    .filter((each) => !each.startsWith(".."));
  await repository.filesOf(
    commit,
    paths.map((each) => each || "."),
  );
  return { file, commit, name: `${revision}:${path}` };
}

function readOption(option: string | undefined): { revision: string; path: string } {
  const at = option?.indexOf(":") ?? -1;
  if (option === undefined) return { revision: "HEAD", path: "sett.yml" };
  if (at === -1) return { revision: "HEAD", path: option.replace(/^\.\//, "") };
  return { revision: option.slice(0, at) || "HEAD", path: option.slice(at + 1) || "sett.yml" };
}
