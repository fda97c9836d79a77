// Opens the repository of an instance for a command that writes into it.
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { noRepository } from "../program/not-in-repository.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { gitOf } from "./packs-place.ts";
import type { Place } from "./place.ts";

type Options = Omit<Parameters<typeof HostRepository.open>[1], "env">;

/**
 * `hint`: which repository the person should go to. Throws `repository-unusable`, also for an
 * instance in a cluster that is another repository's.
 */
export async function openRepository(
  { workspace }: Pick<Place, "workspace">,
  shell: Shell,
  hint: string,
  options: Options = {},
): Promise<HostRepository> {
  if (workspace === undefined || workspace === "") {
    const here = await workspaceRoot(shell.cwd);
    if (here === undefined) throw await noRepository(shell.cwd, hint);
    const message = `This sett is another repository's, and not that of ${here}.`;
    throw new SettError("repository-unusable", message, { hint });
  }
  const { HostRepository: Repository } = await import(
    "../../../lib/git/repository/host-repository.ts"
  );
  return await Repository.open(workspace, { ...gitOf(shell), ...options });
}
