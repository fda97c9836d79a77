// Says which remotes would take an instance's goals and results away from the repository.
import { shellWord } from "../../../lib/model/shell-word.ts";

/** They say what happens, and the line that keeps it from happening. */
export function aboutPruning(remotes: readonly string[]): { found: string; remedy: string } {
  const names = remotes.map((remote) => `\`${remote}\``).join(" and ");
  return {
    found: `\`git fetch --prune\` from ${names} removes refs/sett: the fetch configuration covers it, and the remote does not have it`,
    remedy: remotes
      .map((remote) => `\`git config --add ${shellWord(`remote.${remote}.fetch`)} '^refs/sett*'\``)
      .join(", "),
  };
}
