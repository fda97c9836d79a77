// Warns of a `workspace.prepare.key` that lacks what its command obviously needs: nothing else of
// the commit is there when it runs.

import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import { type PrepareNeed, prepareNeeds } from "../../../lib/config/prepare-needs.ts";
import type { ConfigProblem } from "../../../lib/config/problems.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";

/** By the files of HEAD, where a folder is named, or a file counts only where there is one. */
export async function prepareWarnings(
  { agents }: Pick<SettConfig, "agents">,
  repository: Pick<HostRepository, "head" | "namesOf">,
  problemAt: ProblemAt,
): Promise<ConfigProblem[]> {
  const wanted = agents.flatMap(({ name, workspace: { prepare } }) =>
    prepare === undefined ? [] : [{ name, key: prepare.key, needs: prepareNeeds(prepare.run) }],
  );
  if (wanted.every(({ needs }) => needs.length === 0)) return [];
  const files = await repository.namesOf(await repository.head());
  if (files === undefined) return [];
  return wanted.flatMap(({ name, key, needs }) =>
    needs
      .filter((need) => isLacking(need, key, files))
      .map((need) => problemAt(["agents", name, "workspace", "prepare", "key"], sentenceOf(need))),
  );
}

/** `files`: in latin1. */
function isLacking(
  { oneOf, isIfThere }: PrepareNeed,
  key: readonly string[],
  files: readonly string[],
): boolean {
  const isNeeded = (path: string) => oneOf.some((end) => path === end || path.endsWith(`/${end}`));
  const keys = key.map((path) => Buffer.from(path).toString("latin1"));
  const isNamed = (file: string) =>
    keys.some((path) => file === path || file.startsWith(`${path}/`));
  const there = files.filter(isNeeded);
  if (keys.some(isNeeded) || there.some(isNamed)) return false;
  return !isIfThere || there.length > 0;
}

function sentenceOf({ command, oneOf, isIfThere }: PrepareNeed): string {
  const [first = "", ...others] = oneOf.map((file) => `\`${file}\``);
  const file = others.length === 0 ? first : `${first} (or ${others.join(", ")})`;
  const why = isIfThere ? `by which \`${command}\` goes` : `which \`${command}\` needs`;
  return `lacks ${file}, ${why}: only what it names is there`;
}
