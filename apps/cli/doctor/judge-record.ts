// Judges whether the record of an instance is what Sett wrote.
import { shortId } from "../../../lib/words/short-id.ts";
import type { Finding } from "../facts/finding.ts";
import { type WaitingGoals, waitingSentence } from "../instance/retention.ts";
import { restoreHint } from "../render/lost.ts";
import type { BodyFacts, RecordFacts } from "./facts.ts";

const subject = "record";
const shownIds = 5;
const remedy =
  "A person or a program with a password of Redis can do so. A copy of Redis' volume, or an archive of `sett prune`, may have what was there before.";

/** Undefined where it could not be read: then there is a finding about Redis. */
export function judgeRecord(record: RecordFacts | undefined, prune: string): Finding[] {
  if (record === undefined) return [];
  if (record.state === "silent") {
    const why = "It was not compared with its digests.";
    return [
      {
        subject,
        check: "artefacts",
        level: "warning",
        found: record.message,
        why,
        remedy: record.hint,
      },
    ];
  }
  const { waiting } = record;
  return [
    artefactsFinding(record),
    ...hiddenFindings(record),
    ...malformedFindings(record),
    eventsFinding(record),
    ...archivedFindings(record, prune),
    ...(waiting === undefined ? [] : [waitingFinding(waiting, prune)]),
  ];
}

export function judgeBodies(bodies: BodyFacts | undefined): Finding[] {
  if (bodies === undefined) return [];
  const { wanted, missing } = bodies;
  const base = { subject, check: "calls" };
  if (missing === 0)
    return [{ ...base, level: "ok", found: "the bodies of the newest calls are there" }];
  const found = `${missing} of the newest ${wanted} bodies are gone`;
  const why =
    "`sett unearth --transcript` does not show what agents and their models have said. Costs are on the blackboard.";
  const remedy =
    "Docker's volume of the record was removed, or files in it: a copy of it has what was there before.";
  return [{ ...base, level: "problem", found, why, remedy }];
}

type Answer = Extract<RecordFacts, { state: "answers" }>;

function artefactsFinding({ artefacts, overwritten }: Answer): Finding {
  const base = { subject, check: "artefacts" };
  if (overwritten.length === 0)
    return { ...base, level: "ok", found: `${artefacts}, as they were stored` };
  const shown = overwritten.slice(0, shownIds).map(shortId).join(", ");
  const more = overwritten.length > shownIds ? ` and ${overwritten.length - shownIds} more` : "";
  const found = `overwritten or removed by hand, or a field of it: ${shown}${more}`;
  const why =
    "They are not what their makers and people stored. `sett prune` does not move their goals.";
  return { ...base, level: "problem", found, why, remedy };
}

function hiddenFindings({ hidden = [] }: Answer): Finding[] {
  if (hidden.length === 0) return [];
  const shown = hidden.slice(0, shownIds).map(shortId).join(", ");
  const more = hidden.length > shownIds ? ` and ${hidden.length - shownIds} more` : "";
  const found = `taken off a list by hand: ${shown}${more}`;
  const why = "`sett hoard`, `sett graph`, reports or archives leave them out, and do not say so.";
  return [{ subject, check: "lists", level: "problem", found, why, remedy }];
}

function malformedFindings({ malformed }: Answer): Finding[] {
  if (malformed.length === 0) return [];
  const shown = malformed.slice(0, shownIds).join(", ");
  const more = malformed.length > shownIds ? ` and ${malformed.length - shownIds} more` : "";
  const found = `changed by hand so that nothing can read it: ${shown}${more}`;
  const why = "The orchestrator decides nothing about them, and their goals wait.";
  return [{ subject, check: "claims", level: "problem", found, why, remedy }];
}

function eventsFinding({ lost, fewer }: Answer): Finding {
  const base = { subject, check: "log" };
  if (fewer !== undefined) {
    return {
      ...base,
      level: "problem",
      found: `it had ${fewer.before} events when \`sett up\` or \`sett down\` last looked, and has at most ${fewer.now} of them`,
      why: "A file of Redis was damaged, cut or put back from a back-up, or its keys were removed by hand: the record is not what it was.",
      remedy: `${restoreHint}. The next \`sett up\` takes the record as it is.`,
    };
  }
  if (lost === 0) return { ...base, level: "ok", found: "no event is missing" };
  const found = lost === 1 ? "1 event was deleted by hand" : `${lost} events were deleted by hand`;
  return {
    ...base,
    level: "problem",
    found,
    why: "The log no longer says all that has happened.",
    remedy,
  };
}

function archivedFindings({ archived = [] }: Answer, prune: string): Finding[] {
  if (archived.length === 0) return [];
  const shown = archived.slice(0, shownIds).map(shortId).join(", ");
  const more = archived.length > shownIds ? ` and ${archived.length - shownIds} more` : "";
  const found = `being removed, as a file of \`sett prune\` has all of them: ${shown}${more}`;
  const why = "The run that wrote the file did not come to its end.";
  const remedy = `\`${prune}\` removes the rest, and writes no second file about them.`;
  return [{ subject, check: "goals", level: "note", found, why, remedy }];
}

function waitingFinding(waiting: WaitingGoals, prune: string): Finding {
  const why = "They stay in the memory of Redis until they are moved into a file.";
  const remedy = `\`${prune}\` moves them, best from a timer (docs/operations.md, "Growth").`;
  return {
    subject,
    check: "retention",
    level: "note",
    found: waitingSentence(waiting),
    why,
    remedy,
  };
}
