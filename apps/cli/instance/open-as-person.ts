// The blackboard of an instance, and who it is that writes to it.
import type { Actor } from "../../../lib/model/event.ts";
import { type OpenBlackboard, openBlackboard, type Place } from "./open-blackboard.ts";
import { personOf } from "../people/person.ts";
import type { Shell } from "../terminal/shell.ts";

export type OpenAsPerson = OpenBlackboard & { actor: Actor };

/** Git is asked for the name only where nobody has said one. Throws as `openBlackboard` and `personOf`. */
export async function openAsPerson(shell: Shell, name: string | undefined, as: string | undefined): Promise<OpenAsPerson> {
  const opened = await openBlackboard(shell, name);
  try {
    return { ...opened, actor: await actorAt(opened.place, shell, as) };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

export async function actorAt({ workspace }: Place, shell: Shell, as: string | undefined): Promise<Actor> {
  return await personOf(as === undefined ? await repositoryAt(workspace, shell) : undefined, shell, as);
}

/** One that has gone is no reason not to act: the system knows a name, too. */
async function repositoryAt(workspace: string | undefined, { env }: Shell) {
  if (workspace === undefined || workspace === "") return undefined;
  const { HostRepository } = await import("../../../lib/git/host-repository.ts");
  return await HostRepository.open(workspace, { env }).catch(() => undefined);
}
