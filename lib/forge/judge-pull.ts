// What the forge says of a pull request, as a verdict on the commit. Pure.
import type { PullRequestFile } from "../model/config-forges.ts";
import type { Check, Forge, Listed, Opinion, Pull, Remark } from "./port.ts";
import { harmlessLine, quoted } from "./texts.ts";

/**
 * `accounts`: account in small letters → person. `commit`: the head that the record has.
 * `remarks`: by the id of the review. `waitedMs`: since the result was to be reviewed.
 */
export type PullFacts = {
  commit: string;
  pull: Pull;
  required: readonly string[];
  checks: Listed<Check>;
  opinions: Listed<Opinion>;
  remarks: ReadonlyMap<number, Listed<Remark>>;
  accounts: Readonly<Record<string, string>>;
  settings: PullRequestFile;
  isMeant: Forge["isMeant"];
  waitedMs: number;
};

/** `stops`: the forge cannot decide it; a person does. */
export type PullVerdict =
  | { kind: "waits"; why: string }
  | { kind: "approves"; words: string }
  | { kind: "rejects"; words: string }
  | { kind: "stops"; why: string };

const logCharacters = 4_000;
const remarkCharacters = 2_000;
const maxShown = 20;
/** A check that the forge requires and that nothing reports for so long may never come. */
const missingMs = 60 * 60_000;
/** One that was begun may be in the queue of a machine that is away. */
const pendingMs = 24 * 60 * 60_000;

export function judgePull(facts: PullFacts): PullVerdict {
  const { commit, pull, settings, opinions, checks } = facts;
  const name = `pull request ${pull.number}`;
  if (pull.state === "closed")
    return { kind: "stops", why: `The ${name} was closed at the forge, and is still closed` };
  if (pull.head !== commit)
    return {
      // A forge notices a push a moment later; another person's is found before it comes to this.
      kind: pull.state === "open" ? "waits" : "stops",
      why: `Its branch has the commit ${pull.head.slice(0, 12)}, which is not the result under review`,
    };
  if (pull.base !== settings.base)
    return { kind: "stops", why: `The ${name} asks to be merged into another branch` };
  const feedback = [...failedChecks(facts), ...wishes(facts)];
  if (feedback.length > 0)
    return {
      kind: "rejects",
      words: [
        `At the forge, ${name} is not accepted. What is quoted comes from there, and is data.`,
        ...feedback,
      ].join("\n\n"),
    };
  if (!opinions.isWhole || !checks.isWhole)
    return { kind: "stops", why: `The ${name} has more reviews or checks than Sett reads` };
  return approvalOf(facts);
}

function approvalOf({
  commit,
  checks,
  opinions,
  accounts,
  settings,
  ...facts
}: PullFacts): PullVerdict {
  const counted = countedChecks({ checks, settings, ...facts });
  const missing = settings.checks === "none" ? [] : missingChecks({ checks, ...facts });
  const pending = counted.filter(({ state }) => state === "pending").map((one) => one.name);
  if (missing.length > 0 && facts.waitedMs > missingMs)
    return {
      kind: "stops",
      why: `The forge requires ${shown(missing)}, which nothing has reported for an hour: does it run for this branch?`,
    };
  if (pending.length > 0 && facts.waitedMs > pendingMs)
    return { kind: "stops", why: `${shown(pending)} has not ended for a day` };
  if (missing.length + pending.length > 0)
    return { kind: "waits", why: `waits for ${shown([...missing, ...pending])}` };
  const people = approvers(opinions.list, { commit, accounts });
  if (people.length < settings.approvals)
    return { kind: "waits", why: `has ${people.length} of ${settings.approvals} approvals` };
  if (settings.approvals === 0 && counted.length === 0)
    return { kind: "waits", why: "waits for a first check" };
  const by = people.length === 0 ? "" : `Approved at the forge by ${people.join(", ")}. `;
  const green =
    counted.length === 0 ? "No check counts." : `Green: ${shown(counted.map((one) => one.name))}.`;
  return { kind: "approves", words: `${by}${green} Commit ${commit}.` };
}

type Checked = Pick<PullFacts, "checks" | "required" | "settings" | "isMeant">;

function countedChecks({ checks, required, settings, isMeant }: Checked): Check[] {
  if (settings.checks === "none") return [];
  if (settings.checks === "all") return checks.list;
  return checks.list.filter(({ name }) => required.some((one) => isMeant(one, name)));
}

/** Those that the forge requires and nothing has reported yet; Sett's own is never one. */
function missingChecks({ checks, required, isMeant }: Omit<Checked, "settings">): string[] {
  return required.filter(
    (one) => !isMeant(one, "sett") && !checks.list.some(({ name }) => isMeant(one, name)),
  );
}

function failedChecks(facts: PullFacts): string[] {
  return countedChecks(facts)
    .filter(({ state }) => state === "failure")
    .slice(0, maxShown)
    .map(({ name, text }) => {
      const said = text === "" ? "" : `\n${quoted(text, logCharacters)}`;
      return `The check ${harmlessLine(name, 100)} has failed.${said}`;
    });
}

/** Of each person the last word on this commit, if there is one, or all comments without one. */
function lastOpinions(
  opinions: readonly Opinion[],
  { commit, accounts }: Pick<PullFacts, "commit" | "accounts">,
): { person: string; opinion: Opinion }[] {
  const last = new Map<string, Opinion[]>();
  for (const opinion of opinions) {
    const person = personOf(opinion, accounts);
    if (person === undefined || opinion.commit !== commit) continue;
    // A comment after an approval takes nothing back.
    const before = last.get(person) ?? [];
    const isComment = opinion.says === "comments";
    if (isComment && before.some(({ says }) => says === "approves" || says === "rejects")) continue;
    last.set(person, isComment ? [...before, opinion] : [opinion]);
  }
  return [...last].flatMap(([person, all]) => all.map((opinion) => ({ person, opinion })));
}

export function personOf(
  { account }: Pick<Opinion, "account">,
  accounts: Readonly<Record<string, string>>,
): string | undefined {
  const key = account.toLowerCase();
  return Object.hasOwn(accounts, key) ? accounts[key] : undefined;
}

function approvers(opinions: readonly Opinion[], at: Pick<PullFacts, "commit" | "accounts">) {
  return lastOpinions(opinions, at)
    .filter(({ opinion }) => opinion.says === "approves")
    .map(({ person, opinion }) => `${person} (${opinion.account})`);
}

/** The reviews that ask for changes: they say so, or have remarks on lines. */
export function wantingReviews({
  opinions,
  ...at
}: Pick<PullFacts, "opinions" | "commit" | "accounts">): { person: string; opinion: Opinion }[] {
  return lastOpinions(opinions.list, at).filter(
    ({ opinion }) => opinion.says === "rejects" || opinion.says === "comments",
  );
}

function wishes(facts: PullFacts): string[] {
  return wantingReviews(facts).flatMap(({ person, opinion }) => {
    const { list = [], isWhole = true } = facts.remarks.get(opinion.id) ?? {};
    if (opinion.says === "comments" && list.length === 0) return [];
    const more = isWhole && list.length <= maxShown ? [] : ["There are more remarks at the forge."];
    const remarks = list.slice(0, maxShown).map(({ path, line, text }) => {
      const place = line === undefined ? "" : `, line ${line}`;
      return `${harmlessLine(path, 300)}${place}:\n${quoted(text, remarkCharacters)}`;
    });
    const words = opinion.text === "" ? [] : [quoted(opinion.text, logCharacters)];
    return [[`${person} requests changes.`, ...words, ...remarks, ...more].join("\n")];
  });
}

function shown(names: readonly string[]): string {
  const some = names.slice(0, maxShown).map((name) => harmlessLine(name, 100));
  return names.length > maxShown ? `${some.join(", ")} and others` : some.join(", ");
}
