// Stores what a person posts. Its commit is kept in the repository before that, because agents
// begin to work on it at once.

import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { type Refused, WritesRefused } from "../../blackboard/port/refused.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { Artefact } from "../../model/artefact.ts";
import { messageOf, SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";

/** `name`: what it is, for people. `hintIfUnknown`: what to do where the connection broke. */
export type Posting = { actor: Actor; name: string; hintIfUnknown: string };

/**
 * The commit of what was refused stays kept: the caller knows whose it is. If the connection breaks
 * before the blackboard has answered, the artefact may exist or not, and its commit stays kept too.
 */
export async function storePosted(
  board: PersonBlackboard,
  repository: Pick<HostRepository, "pin" | "unpin"> | undefined,
  artefact: Artefact,
  { actor, name, hintIfUnknown }: Posting,
): Promise<{ outcome: "created" | "exists" } | Refused> {
  const { commit } = artefact.metadata;
  if (commit !== undefined) await repository?.pin(board.instance, artefact.id, commit);
  return await board.createArtefact(artefact, actor).catch(async (cause: unknown) => {
    if (!isRefusal(cause)) {
      const message = `The ${name} may or may not have been posted: ${messageOf(cause)}`;
      throw new SettError("redis-unreachable", message, { hint: hintIfUnknown, cause });
    }
    if (commit !== undefined) await repository?.unpin(board.instance, artefact.id);
    if (!(cause instanceof WritesRefused)) throw cause;
    const hint = `${cause.hint ?? ""} Then post the ${name} again.`.trim();
    throw new SettError(cause.code, `The ${name} was not posted: ${cause.message}`, {
      hint,
      cause,
    });
  });
}

const unknownOutcomes = new Set<string>([
  "redis-unreachable",
  "api-unreachable",
  "interrupted",
  "internal",
]);

/** Whether it is certain that nothing was stored: Redis refuses to write, or an API refuses it. */
function isRefusal(cause: unknown): cause is SettError {
  if (!(cause instanceof SettError)) return false;
  return cause instanceof WritesRefused || !unknownOutcomes.has(cause.code);
}
