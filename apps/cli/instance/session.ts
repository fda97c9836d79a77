// What a command holds while it works with an instance: contact with its blackboard, where the instance is, and who acts.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { Shell } from "../terminal/shell.ts";
import { personOf } from "./person.ts";
import { findPlace, type Place } from "./place.ts";

export type Session = AsyncDisposable & {
  board: Blackboard;
  place: Place;
  /** The person at the keyboard; `as`: who they say they are. Throws as `personOf`. */
  actor(as?: string): Promise<Actor>;
};

/** `name`: the instance that the person named, if any. Throws `redis-unreachable` at once when there is no contact. */
export async function openSession(shell: Shell, name: string | undefined): Promise<Session> {
  const place = await findPlace(shell, name);
  const board = await connect(place);
  return {
    board,
    place,
    actor: (as) => actorAt(place, shell, as),
    [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
  };
}

export async function connect(
  { instance, redisUrl }: Pick<Place, "instance" | "redisUrl">,
  giveUpMs?: number,
): Promise<Blackboard> {
  const { connectBlackboard } = await import("../../../lib/blackboard/redis/connect.ts");
  return await connectBlackboard({ url: redisUrl, instance, giveUpMs });
}

/** Git is asked for the name only where the person has given none. */
async function actorAt({ workspace }: Place, shell: Shell, as: string | undefined): Promise<Actor> {
  return await personOf(as === undefined ? await repositoryAt(workspace, shell) : undefined, shell, as);
}

/** A repository that is gone is no reason not to act: the system knows a name, too. */
async function repositoryAt(workspace: string | undefined, { env }: Shell) {
  if (workspace === undefined || workspace === "") return undefined;
  const { HostRepository } = await import("../../../lib/git/host-repository.ts");
  return await HostRepository.open(workspace, { env }).catch(() => undefined);
}
