// Warns of `workspace.paths`, and of the key of `workspace.prepare`, that name nothing: most often
// it is a typing mistake.
import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import type { ConfigProblem } from "../../../lib/config/problems.ts";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";

/** By the files of HEAD, which the next goal begins with. */
export async function pathWarnings(
  { agents }: Pick<SettConfig, "agents">,
  repository: Pick<HostRepository, "head" | "namesOf">,
  problemAt: ProblemAt,
): Promise<ConfigProblem[]> {
  const named = agents.flatMap(({ name, workspace: { paths = [], prepare } }) => {
    const at = ["agents", name, "workspace"];
    const keys = prepare?.key ?? [];
    return [
      ...paths.map((path, index) => ({ path, at: [...at, "paths", index], warn: warningOf })),
      ...keys.map((path, index) => ({ path, at: [...at, "prepare", "key", index], warn: ofKey })),
    ];
  });
  if (named.length === 0) return [];
  const files = await repository.namesOf(await repository.head());
  if (files === undefined) return [];
  return named.flatMap(({ path, at, warn }) => {
    const sentence = warn(path, files);
    return sentence === undefined ? [] : [problemAt(at, sentence)];
  });
}

/** A key has no patterns, and counts from the top. */
function ofKey(path: string, files: readonly string[]): string | undefined {
  const own = Buffer.from(path.replace(/\/$/, "")).toString("latin1");
  if (files.some((file) => file === own || file.startsWith(`${own}/`))) return undefined;
  return `names no file of HEAD${likelyMeant(path, files)}`;
}

/** `files`: in latin1. */
function warningOf(path: string, files: readonly string[]): string | undefined {
  const own = new SparsePaths([path]);
  const found = files.find((file) => own.names(file));
  if (found === undefined) return `names no file of HEAD${likelyMeant(path, files)}`;
  const isLikeFolder = !/[*?/]$/.test(path) && found !== Buffer.from(path).toString("latin1");
  if (!isLikeFolder || /[*?]/.test(path)) return undefined;
  return `is a folder: as \`${path}/\` it brings the files directly in the folders above it, too`;
}

/** Names of folders differ in case, or lack the folders before them. */
function likelyMeant(path: string, files: readonly string[]): string {
  if (/[*?]/.test(path)) return "";
  const wanted = `/${Buffer.from(path.replace(/\/$/, "")).toString("latin1")}`.toLowerCase();
  for (const file of files) {
    const at = `/${file}/`.toLowerCase().indexOf(`${wanted}/`);
    if (at === -1) continue;
    const meant = Buffer.from(file.slice(0, at + wanted.length - 1), "latin1").toString();
    return `: do you mean \`${meant}${meant.length < file.length ? "/" : ""}\`?`;
  }
  return "";
}
