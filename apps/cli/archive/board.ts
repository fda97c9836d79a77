// An archive as a blackboard that never changes. Payloads stay in the file until a caller asks for
// them.

import type { GoalEnding, Page, StoredHead } from "../../../lib/blackboard/port/artefacts.ts";
import { beginningOf } from "../../../lib/blackboard/records/artefact-fields.ts";
import { isOfResult, outputOf } from "../../../lib/blackboard/records/output-data.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { deliveredBy } from "../../../lib/client/facts/work.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import { type ArtefactId, type ClaimId, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { ArchivedGoal } from "./format.ts";
import { linesAt, type Place, placedLines } from "./read.ts";
import { recordOfLine } from "./record-of-line.ts";

type Content = {
  instance: InstanceName;
  heads: Map<ArtefactId, StoredHead>;
  places: Map<ArtefactId, Place>;
  /** In the order in which they were posted. */
  goals: Map<GoalId, ArtefactId[]>;
  endings: Map<GoalId, GoalEnding>;
  /** Question → the answer that counts. */
  answers: Map<ArtefactId, ArtefactId>;
  claims: Map<ClaimId, ClaimSnapshot>;
  causes: Map<ArtefactId, Map<string, ClaimId>>;
  calls: Map<GoalId, CallRecord[]>;
  events: SettEvent[];
  facts: Map<FactDigest, string>;
};

/**
 * Reads the file to its end first, so that a damaged archive shows nothing. Throws
 * `archive-unusable`. Its methods throw `artefact-not-found` for an artefact that the file does not
 * have; the hint names the archive and not a sett.
 */
export async function archiveBoard(path: string): Promise<ReadingBoard> {
  const content = await contentOf(path);
  const { instance, heads, goals, endings, answers, claims, causes, calls, events, facts } =
    content;
  const linesOf = async (ids: readonly ArtefactId[]) =>
    await linesAt(
      path,
      ids.flatMap((id) => content.places.get(id) ?? []),
    );
  const readArtefacts = async (ids: readonly ArtefactId[]) =>
    (await linesOf(ids)).map(({ artefact }) => artefact);
  const missing = (id: string) =>
    new SettError("artefact-not-found", `There is no artefact ${id} in ${path}.`, {
      hint: `\`sett hoard --archive ${path} --all\` lists the ids.`,
    });
  return {
    instance,
    time: async () => Date.now(),
    readArtefacts,
    readArtefact: async (id) => {
      const [artefact] = await readArtefacts([id]);
      if (artefact === undefined) throw missing(id);
      return artefact;
    },
    readRecord: async (id) => {
      const [line] = await linesOf([id]);
      return line && recordOfLine(line);
    },
    readOutput: async (id) => {
      const ending = events.findLast((event) => event.artefact_id === id && isOfResult(event));
      return outputOf(ending?.data);
    },
    readHeads: async (ids) => ids.flatMap((id) => heads.get(id) ?? []),
    // The seal of the file speaks for all that is in it.
    findOverwritten: async () => [],
    findArtefacts: async (start) => {
      const found = [...heads.keys()].filter((id) => id.startsWith(start));
      if (found.length === 0) throw missing(start);
      return found;
    },
    readGoal: async (goal) => ({
      ended: endings.get(goal),
      artefacts: goals.get(goal)?.length ?? 0,
    }),
    answersOf: async (questions) => questions.map((question) => answers.get(question)),
    listArtefacts: async (page) => pageOf([...heads.keys()], page),
    countArtefacts: async () => heads.size,
    listGoals: async (page) => pageOf([...goals.keys()], page),
    countGoals: async () => goals.size,
    listCommits: async () => [...heads.values()].flatMap(({ head }) => deliveredBy(head)),
    // Registrations are the instance's, and not of a goal.
    listAgents: async () => [],
    listArtefactsOfGoal: async (goal, page) => pageOf(goals.get(goal) ?? [], page),
    claimsOfArtefact: async (id) => causes.get(id) ?? new Map(),
    readClaims: async (ids) => ids.flatMap((id) => claims.get(id) ?? []),
    readCalls: async (goal) => ({ ended: calls.get(goal) ?? [], open: [] }),
    readEvents: async (from, count) => {
      const at = events.findIndex(({ id }) => isLater(id, from));
      return at === -1 ? [] : events.slice(at, at + count);
    },
    readFacts: async (digests) => new Map([...digests].flatMap((digest) => factIn(facts, digest))),
    endOfEvents: async () => events.at(-1)?.id ?? "0",
  };
}

function factIn(facts: Content["facts"], digest: FactDigest): [FactDigest, string][] {
  const text = facts.get(digest);
  return text === undefined ? [] : [[digest, text]];
}

async function contentOf(path: string): Promise<Content> {
  const content: Content = {
    instance: InstanceName.parse("archive"),
    heads: new Map(),
    places: new Map(),
    goals: new Map(),
    endings: new Map(),
    answers: new Map(),
    claims: new Map(),
    causes: new Map(),
    calls: new Map(),
    events: [],
    facts: new Map(),
  };
  for await (const { line, place } of placedLines(path)) {
    if ("header" in line)
      content.instance = InstanceName.safeParse(line.header.instance).data ?? content.instance;
    else if ("goal" in line) addGoal(line.goal, content);
    else if ("artefact" in line) {
      addArtefact(line.artefact, content);
      content.places.set(line.artefact.id, place);
    } else if ("question" in line) content.answers.set(line.question, line.answer);
    else if ("claim" in line) {
      const { claim, cause, grants } = line;
      content.claims.set(claim.id, { claim, grants });
      const ofArtefact = content.causes.get(claim.artefact_id) ?? new Map<string, ClaimId>();
      content.causes.set(claim.artefact_id, ofArtefact.set(cause, claim.id));
    } else if ("call" in line) {
      const { call } = line;
      content.calls.set(call.goal_id, [...(content.calls.get(call.goal_id) ?? []), call]);
    } else if ("event" in line) content.events.push(line.event);
    else if ("fact" in line) content.facts.set(line.fact.digest, line.fact.text);
  }
  return content;
}

function addGoal({ id, ended }: ArchivedGoal, { goals, endings }: Content): void {
  goals.set(id, []);
  if (ended === "cancelled" || ended === "artefact_limit") endings.set(id, ended);
}

function addArtefact({ payload, ...head }: Artefact, { heads, goals }: Content): void {
  heads.set(head.id, {
    head,
    payloadBytes: Buffer.byteLength(payload),
    beginning: beginningOf(head, payload),
  });
  const goal = GoalId.parse(head.goal_id);
  goals.set(goal, [...(goals.get(goal) ?? []), head.id]);
}

function pageOf<Id>(ids: readonly Id[], page: Page = { from: 0, count: ids.length }): Id[] {
  return ids.slice(page.from, page.from + page.count);
}
