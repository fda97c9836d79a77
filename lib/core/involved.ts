// Finds the people who had a part in the work that is to be approved
// (docs/guides/people.md#several-people-for-one-approval). What they did came before the artefact,
// so that the record and the log say the same of it at any later time.
import type { RegisteredAgent } from "../model/agent.ts";
import type { Grant } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";
import { ofSame } from "../model/of-same.ts";
import type { Involved } from "../model/quorum.ts";
import { smallLetters } from "../model/small-letters.ts";

/**
 * An artefact on the way back to the goal. `postedBy`: the person who has made it by hand.
 * `grants`: those of the claim that it is a result of.
 */
export type Origin = {
  id: ArtefactId;
  version: number;
  postedBy: string | undefined;
  grants: readonly Grant[];
};

/** An artefact is of so many steps at most: a circle that was written by hand has no end. */
export const maxOrigins = 1_000;

/** Most clans have no such rule. */
export const needsInvolved = ofSame((agents: readonly RegisteredAgent[]) =>
  agents.some(({ not_by }) => not_by !== undefined),
);

/** The answers to the questions of the attempt that has made it. */
export function answersFor({ id, grants }: Origin): ArtefactId[] {
  return grants
    .filter((grant) => "artefact_ids" in grant && grant.artefact_ids.includes(id))
    .flatMap(({ dialogue = [] }) => dialogue.filter((_, place) => place % 2 === 1));
}

/** The approvals of what it was made from. A later version is made from the earlier one. */
export function approvalsBefore({ version, grants }: Origin): ArtefactId[] {
  if (version > 1) return [];
  return grants.flatMap((grant) =>
    grant.phase === "review" && grant.state === "done" && grant.rejects !== true
      ? grant.artefact_ids
      : [],
  );
}

/** `byOf`: the person who has made an artefact, if it was one. */
export function involvedIn(
  poster: string | undefined,
  origins: readonly Origin[],
  byOf: (id: ArtefactId) => string | undefined,
): Involved {
  const by = (ids: readonly ArtefactId[]) => ids.flatMap((id) => byOf(id) ?? []);
  return {
    poster: poster === undefined ? [] : [poster],
    answerer: by(origins.flatMap(answersFor)),
    hand: origins.flatMap(({ postedBy }) => postedBy ?? []),
    approver_of_input: by(origins.flatMap(approvalsBefore)),
  };
}

/**
 * The poster of a goal, by the actor of its event: as the record of the goal names its payer.
 * Undefined where that is no person.
 */
export function posterOf(actor: string): string | undefined {
  const [, name] = /^person:(.+)$/.exec(actor) ?? [];
  if (name === undefined) return undefined;
  const [, one = /^(.*?), by [^<>]*$/.exec(name)?.[1] ?? ""] = /<([^<>]+)>\s*$/.exec(name) ?? [];
  return smallLetters(one === "" ? name : one);
}
