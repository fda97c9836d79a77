// Decides whose approvals count, and whether they are enough
// (docs/guides/people.md#several-people-for-one-approval).
import type { RegisteredAgent } from "../model/agent.ts";
import type { DoneGrant, WaitingGrant } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { KnownPerson } from "../model/people.ts";
import type { Involved, Quorum } from "../model/quorum.ts";
import { smallLetters } from "../model/small-letters.ts";
import { isPerson } from "./is-person.ts";
import type { Verdict } from "./review-verdict.ts";

type Rules = Pick<RegisteredAgent, "approvals" | "not_by" | "people">;

/** A person has one: two names or keys of one person are one principal. */
export function principalOf({ name, email }: KnownPerson): string {
  return email === undefined ? name : smallLetters(email);
}

/** `by`: a name of the log, without `person:`. Undefined where it is none of the people. */
export function principalAmong(
  by: string,
  people: readonly KnownPerson[] | undefined,
): string | undefined {
  if (people === undefined) return smallLetters(/ <([^<>]+)>$/.exec(by)?.[1] ?? by);
  const known = people.find((person) => isPerson(`person:${by}`, person));
  return known && principalOf(known);
}

/** Undefined where one approval of any of the people is enough. */
export function quorumFor(
  { approvals, not_by, people }: Rules,
  involved: Involved | undefined,
): Quorum | undefined {
  if (approvals === undefined && not_by === undefined) return undefined;
  const names = (not_by ?? []).flatMap((part) => involved?.[part] ?? []);
  const barred = new Set(names.flatMap((name) => principalAmong(name, people) ?? []));
  return {
    needed: approvals ?? 1,
    ...(barred.size > 0 && { not_by: [...barred].toSorted() }),
  };
}

/** Why the approval of this person does not count; undefined where it does. */
export type Discounted = "stranger" | "involved" | "again";

export function discounted(
  by: string,
  { not_by = [], approvals = [] }: Quorum,
  people: readonly KnownPerson[] | undefined,
): Discounted | undefined {
  const principal = principalAmong(by, people);
  if (principal === undefined) return "stranger";
  if (not_by.includes(principal)) return "involved";
  const isGiven = approvals.some((one) => principalAmong(one.by, people) === principal);
  return isGiven ? "again" : undefined;
}

/** A verdict of a person: its Review, when it was made (ISO 8601), and by whom. */
export type PersonVerdict = { review: ArtefactId; at: string; by: string; approves: boolean };

/** The grant after a verdict: it goes on waiting, where others have to approve, too. */
export function afterVerdict(
  waiting: WaitingGrant,
  { review, at, by, approves }: PersonVerdict,
): DoneGrant | WaitingGrant {
  const { waits_for: _, ...grant } = waiting;
  const { quorum } = waiting;
  const approvals = quorum?.approvals ?? [];
  if (approves && quorum !== undefined && approvals.length + 1 < quorum.needed)
    return { ...waiting, quorum: { ...quorum, approvals: [...approvals, { review, by }] } };
  const earlier = approvals.map((one) => one.review);
  return { ...grant, state: "done", ended_at: at, artefact_ids: [review, ...earlier] };
}

/** By the reviews themselves, whatever the grant says of them. */
export function isApproved(
  { quorum, artefact_ids }: DoneGrant,
  reviews: readonly Verdict[],
  people: readonly KnownPerson[] | undefined,
): boolean {
  if (quorum === undefined) return true;
  const own = reviews.filter(({ id }) => artefact_ids.includes(id));
  if (own.some(({ approves }) => !approves)) return true;
  const principals = own.flatMap(({ by = "" }) => principalAmong(by, people) ?? []);
  const counted = new Set(principals.filter((one) => quorum.not_by?.includes(one) !== true));
  return counted.size >= quorum.needed;
}

/** The people whose approval may still count. */
export function mayStillApprove(
  { not_by = [], approvals = [] }: Quorum,
  people: readonly KnownPerson[],
): KnownPerson[] {
  return people.filter((person) => {
    const principal = principalOf(person);
    const isGiven = approvals.some(({ by }) => principalAmong(by, people) === principal);
    return !isGiven && !not_by.includes(principal);
  });
}
