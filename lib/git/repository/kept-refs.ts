// Lists what a repository still knows of an instance, without its blackboard: the names of goals
// and results (refs.ts).
import type { InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { tryGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";
import { lanesFolder } from "./refs.ts";

/**
 * `id`: of a goal or an artefact. `subject`: of the commit that it began from, or that it has;
 * empty where git cannot read it.
 */
export type KeptRef = { id: string; subject: string };

/**
 * The commit that was made last comes first. `env`: the whole environment of git. Throws git-failed
 * where git does not run.
 */
export async function keptRefs(
  { commonDir }: RepositoryPlace,
  instance: InstanceName,
  env: Readonly<Record<string, string | undefined>>,
): Promise<KeptRef[]> {
  const git = { path: "git", env: withoutRepository(env) };
  const list = (...how: string[]) =>
    tryGit(git, {
      args: [`--git-dir=${commonDir}`, "for-each-ref", ...how, `refs/sett/${instance}/`],
      cwd: commonDir,
    });
  const whole = await list("--sort=-creatordate", "--format=%(refname:lstrip=3) %(subject)");
  // One commit that is gone is enough to make git print no subject at all.
  const found = whole.exitCode === 0 ? whole : await list("--format=%(refname:lstrip=3) ");
  return found.stdout.split("\n").flatMap((line) => {
    const at = line.indexOf(" ");
    // The tip of a lane is the commit of a result.
    const isLane = line.startsWith(lanesFolder);
    return at === -1 || isLane ? [] : [{ id: line.slice(0, at), subject: line.slice(at + 1) }];
  });
}
