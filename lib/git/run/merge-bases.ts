// The newest commits that two histories have in common: where a merge of them begins.
import { CommitHash } from "../../model/ids.ts";
import type { PlainView } from "./plain-view.ts";

/**
 * Several where each history has merged what the other one has merged too; none where the two have
 * nothing in common, or one of the commits is not here.
 */
export async function mergeBases(
  git: Pick<PlainView, "try">,
  one: string,
  other: string,
): Promise<CommitHash[]> {
  const { exitCode, stdout } = await git.try({ args: ["merge-base", "--all", one, other] });
  if (exitCode !== 0) return [];
  return stdout.split("\n").flatMap((line) => CommitHash.safeParse(line).data ?? []);
}
