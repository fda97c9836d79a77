// Finds the remotes from which `git fetch --prune` would remove the names that an instance has
// given to commits: it removes each name that its refspecs cover and the remote does not have. A
// clone made with `--mirror` has such a remote.
import type { InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { tryGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";

/** `env`: the whole environment of git. None where git does not say it. */
export async function pruningRemotes(
  { commonDir }: Pick<RepositoryPlace, "commonDir">,
  instance: InstanceName,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const { exitCode, stdout } = await tryGit(
    { path: "git", env: withoutRepository(env) },
    {
      args: [
        `--git-dir=${commonDir}`,
        "config",
        "-z",
        "--get-regexp",
        String.raw`^remote\..*\.fetch$`,
      ],
      cwd: commonDir,
    },
  );
  return exitCode === 0 ? remotesIn(stdout, instance) : [];
}

/** `printed`: key and refspec, on two lines, each pair ended by a zero. */
export function remotesIn(printed: string, instance: InstanceName): string[] {
  const specs = new Map<string, string[]>();
  for (const entry of printed.split("\0")) {
    const [, remote, spec] = /^remote\.(.*)\.fetch\n(.*)$/s.exec(entry) ?? [];
    if (remote === undefined || spec === undefined) continue;
    specs.set(remote, [...(specs.get(remote) ?? []), spec]);
  }
  const own = `refs/sett/${instance}/`;
  return [...specs].flatMap(([remote, each]) => {
    // A refspec that begins with `^` keeps what it covers from all others of its remote.
    const kept = each.some((spec) => spec.startsWith("^") && own.startsWith(start(spec.slice(1))));
    const covered = each.some((spec) => {
      const target = start(spec.split(":")[1] ?? "");
      return target !== "" && (own.startsWith(target) || target.startsWith(own));
    });
    return covered && !kept ? [remote] : [];
  });
}

/** The text before the `*`. */
function start(pattern: string): string {
  return pattern.split("*")[0] ?? "";
}
