// Decides whose approvals count, and whether they are enough
// (docs/guides/people.md#several-people-for-one-approval).
import type { RegisteredAgent } from "../model/agent.ts";
import type { DoneGrant, WaitingGrant } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { KnownPerson } from "../model/people.ts";
import { type Approvals, approvalsOf, type Involved, type Quorum } from "../model/quorum.ts";
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
  name: string,
  { by, not_by }: Pick<Approvals, "by" | "not_by">,
  people: readonly KnownPerson[] | undefined,
): Discounted | undefined {
  const principal = principalAmong(name, people);
  if (principal === undefined) return "stranger";
  if (not_by.includes(principal)) return "involved";
  return by.some((one) => principalAmong(one, people) === principal) ? "again" : undefined;
}

/**
 * The approvals that count: one of each person, and none of a person who is in `people` no more.
 */
export function countedApprovals(
  { needed, by, not_by }: Approvals,
  people: readonly KnownPerson[] | undefined,
): Approvals {
  const first = new Map<string, string>();
  for (const name of by) {
    const principal = principalAmong(name, people);
    if (principal === undefined || not_by.includes(principal)) continue;
    if (!first.has(principal)) first.set(principal, name);
  }
  return { needed, by: [...first.values()], not_by };
}

/** How many have approved, and the names of the people who still may. */
export type Progress = { approvals: Approvals; may_approve: string[] };

export function progressOf(quorum: Quorum, people: readonly KnownPerson[] | undefined): Progress {
  const approvals = countedApprovals(approvalsOf(quorum), people);
  return { approvals, may_approve: mayStillApprove(approvals, people ?? []) };
}

/** A verdict of a person: its Review, when it was made (ISO 8601), and by whom. */
export type PersonVerdict = { review: ArtefactId; at: string; by: string; approves: boolean };

/** The grant after a verdict: it goes on waiting, where others have to approve, too. */
export function afterVerdict(
  waiting: WaitingGrant,
  { review, at, by, approves }: PersonVerdict,
  people: readonly KnownPerson[] | undefined,
): DoneGrant | WaitingGrant {
  const { waits_for: _, ...grant } = waiting;
  const { quorum } = waiting;
  if (approves && quorum !== undefined) {
    const next = { ...quorum, approvals: [...(quorum.approvals ?? []), { review, by }] };
    const { needed, by: counted } = countedApprovals(approvalsOf(next), people);
    if (counted.length < needed) return { ...waiting, quorum: next };
  }
  const earlier = (quorum?.approvals ?? []).map((one) => one.review);
  return { ...grant, state: "done", ended_at: at, artefact_ids: [review, ...earlier] };
}

/** The reviews themselves are counted, whatever the grant says of them. */
export function isApproved(
  { quorum, artefact_ids }: DoneGrant,
  reviews: readonly Verdict[],
  people: readonly KnownPerson[] | undefined,
): boolean {
  if (quorum === undefined) return true;
  const own = reviews.filter(({ id }) => artefact_ids.includes(id));
  if (own.some(({ approves }) => !approves)) return true;
  const { needed, not_by = [] } = quorum;
  const by = own.flatMap((one) => one.by ?? []);
  return countedApprovals({ needed, by, not_by }, people).by.length >= needed;
}

/** The names of the people whose approval may still count. */
function mayStillApprove({ by, not_by }: Approvals, people: readonly KnownPerson[]): string[] {
  const principals = new Set(by.map((name) => principalAmong(name, people)));
  return people.flatMap((person) => {
    const principal = principalOf(person);
    return principals.has(principal) || not_by.includes(principal) ? [] : [person.name];
  });
}
