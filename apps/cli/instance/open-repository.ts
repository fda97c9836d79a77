// Opens the repository of an instance for a command that writes into it.
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { noRepository } from "../program/not-in-repository.ts";
import type { Shell } from "../terminal/shell.ts";
import { gitOf } from "./packs-place.ts";
import type { Place } from "./place.ts";

type Options = Omit<Parameters<typeof HostRepository.open>[1], "env">;

/** `hint`: which repository the person should go to. Throws `repository-unusable`. */
export async function openRepository(
  { workspace }: Pick<Place, "workspace">,
  shell: Shell,
  hint: string,
  options: Options = {},
): Promise<HostRepository> {
  if (workspace === undefined || workspace === "") throw await noRepository(shell.cwd, hint);
  const { HostRepository: Repository } = await import(
    "../../../lib/git/repository/host-repository.ts"
  );
  return await Repository.open(workspace, { ...gitOf(shell), ...options });
}
