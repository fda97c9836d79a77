// The sentences about what an instance has lost: its blackboard, or the record of its calls. Pure.

import { boundedLine } from "../../../lib/client/text/plain-text.ts";
import type { KeptRef } from "../../../lib/git/repository/kept-refs.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { LostEvents } from "../facts/noted-log.ts";
import { wayBack, wayBackToCluster } from "./way-back.ts";

const maxNamed = 5;
const maxSubject = 50;

export const restoreHint = "To go back to a back-up: docs/operations.md#restore";

/** A forgotten variable is more likely than an Engine that has lost the volume of a blackboard. */
export function goneHint(isInCluster: boolean): string {
  const elsewhere = isInCluster
    ? `Another cluster may have it: then ${wayBackToCluster}`
    : `Another Docker Engine may have it: then ${wayBack()}`;
  return `${elsewhere}. ${restoreHint}`;
}

/**
 * `age`: how long ago it began; undefined: just now. `refs`: what git still has of the one before.
 */
export function newBlackboardSentence(
  instance: string,
  refs: readonly KeptRef[],
  age?: string,
): string {
  const began = age === undefined ? "is new, and empty" : `began empty ${age}`;
  return `The blackboard of ${instance} ${began}: the one before is gone. ${whatGitHas(instance, refs)}`;
}

/** `place`: the URL of a Redis, or the instance's own. */
export function otherBlackboardSentence(instance: string, place: string): string {
  return `The blackboard of ${instance} is new, and empty: sett.yml named another Redis before. The one before is kept in ${place}: with \`services.redis\` as it was, \`sett up\` goes on with it.`;
}

/** Before any `sett up`. */
export function goneBlackboardSentence(instance: string, refs: readonly KeptRef[]): string {
  return `The blackboard of ${instance} is gone, and \`sett up\` would begin an empty one. ${whatGitHas(instance, refs)}`;
}

export function lostEventsSentence(instance: string, { before, now }: LostEvents): string {
  return `The record of ${instance} is not what it was: its log had ${before} events when \`sett up\` or \`sett down\` last looked, and has at most ${now} of them. A file of Redis was damaged, cut or put back from a back-up, or its keys were removed by hand; goals and results of the missing events are not on the record. Git keeps the results, in refs/sett/${instance}.`;
}

function whatGitHas(instance: string, refs: readonly KeptRef[]): string {
  if (refs.length === 0) return "Git knows no goal or result of it.";
  const named = refs.slice(0, maxNamed).map(({ id, subject }) => {
    const line = boundedLine(subject, maxSubject);
    return line === "" ? shortId(id) : `${shortId(id)} (${line})`;
  });
  const more = refs.length > maxNamed ? `, and ${refs.length - maxNamed} more` : "";
  const what = refs.length === 1 ? "1 goal or result" : `${refs.length} goals and results`;
  return `Git still has ${what} of it, in refs/sett/${instance}: ${named.join(", ")}${more}.`;
}

export function newRecordSentence(instance: string): string {
  return `The record of calls of ${instance} is new, and empty: what agents and their models have said before is gone, and \`sett unearth --transcript\` shows none of it. What the calls have cost is on the blackboard.`;
}

export function lostOutputsSentence(instance: string): string {
  return `What commands of ${instance} have printed before is gone: the volume of its record is new, and \`sett unearth --streams\` shows none of it. Results are on the blackboard and in git.`;
}
