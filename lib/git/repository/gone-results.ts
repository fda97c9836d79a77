// Finds the goals and results of an instance whose commit is gone from the repository although its
// name is there: git then finds the loss at the first merge, which may be months later.
import type { InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { runGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";

/**
 * Their names, `refs/sett/…`. A commit counts as gone, too, without the list of its files; files
 * are not looked at. `env`: the whole environment of git. Throws git-failed.
 */
export async function goneResults(
  { commonDir }: Pick<RepositoryPlace, "commonDir">,
  instance: InstanceName,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  // In a partial clone a look would fetch.
  const git = { path: "git", env: { ...withoutRepository(env), GIT_NO_LAZY_FETCH: "1" } };
  const run = (args: string[], stdin = "") =>
    runGit(git, { args: [`--git-dir=${commonDir}`, ...args], cwd: commonDir, stdin });
  const named = ["for-each-ref", "--format=%(objectname) %(refname)", `refs/sett/${instance}/`];
  const refs = (await run(named)).split("\n").filter((line) => line !== "");
  const objects = refs.flatMap((line) => {
    const [commit = ""] = line.split(" ");
    return [commit, `${commit}^{tree}`];
  });
  if (objects.length === 0) return [];
  const looked = await run(
    ["cat-file", "--batch-check=%(objecttype)"],
    objects.map((object) => `${object}\n`).join(""),
  );
  const types = looked.split("\n");
  const isGone = (at: number) => types[2 * at] !== "commit" || types[2 * at + 1] !== "tree";
  return refs.flatMap((line, at) => (isGone(at) ? [line.slice(line.indexOf(" ") + 1)] : []));
}
