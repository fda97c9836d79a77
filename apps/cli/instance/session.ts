// The things that a command uses while it works with an instance: its blackboard, its place, and
// the person who acts.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { Repeat } from "../../../lib/blackboard/redis/connection-options.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { Shell } from "../terminal/shell.ts";
import { personOf } from "./person.ts";
import { findPlace, type Place, type RedisUrls, type RemotePlace } from "./place.ts";

export type Session = AsyncDisposable & {
  board: PersonBlackboard;
  place: Place;
  /** The person at the keyboard; `as`: the name of `--as`. Throws as `personOf`. */
  actor(as?: string): Promise<Actor>;
};

/**
 * `name`: the instance of `--name`, if any. Throws `redis-unreachable` at once when Redis does not
 * answer.
 */
export async function openSession(shell: Shell, name: string | undefined): Promise<Session> {
  const place = await findPlace(shell, name);
  const board = await connect(place);
  return {
    board,
    place,
    actor: (as) => actorOf(place, shell, as),
    [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
  };
}

/** The part of a place that a connection needs. */
export type Connectable = Pick<Place, "instance"> & (RedisUrls | RemotePlace);

export async function connect(
  place: Connectable,
  giveUpMs?: number,
  { signal, repeat }: { signal?: AbortSignal; repeat?: Repeat } = {},
): Promise<PersonBlackboard> {
  const { instance } = place;
  if ("api" in place) {
    const { remoteBoard } = await import("../../../lib/client/remote/remote-board.ts");
    return remoteBoard(place.api, instance);
  }
  const { redisUrl: url, ownerUrl, redisAt: at } = place;
  const { connectBlackboard } = await import("../../../lib/blackboard/redis/connect.ts");
  return await connectBlackboard({ url, at, ownerUrl, instance, giveUpMs, repeat, signal });
}

async function actorOf(place: Place, shell: Shell, as: string | undefined): Promise<Actor> {
  if (!("api" in place)) return await actorAt(place, shell, as);
  if (as === undefined) return place.actor;
  throw new SettError(
    "usage",
    "--as does not work through the API: its token says in whose name you act.",
    {
      hint: "Leave --as out.",
    },
  );
}

/** Asks git for the name only where `as` is missing. */
export async function actorAt(
  { workspace }: Pick<Place, "workspace">,
  shell: Shell,
  as: string | undefined,
): Promise<Actor> {
  return await personOf(
    as === undefined ? await repositoryAt(workspace, shell) : undefined,
    shell,
    as,
  );
}

/** A repository that was removed does not stop the command: the system knows a user name, too. */
async function repositoryAt(workspace: string | undefined, { env }: Shell) {
  if (workspace === undefined || workspace === "") return undefined;
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  return await HostRepository.open(workspace, { env }).catch(() => undefined);
}
