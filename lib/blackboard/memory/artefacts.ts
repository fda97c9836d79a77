// Artefacts and goals of the memory blackboard.
import { Buffer } from "node:buffer";
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId, LogicalId } from "../../model/ids.ts";
import type { ArtefactBoard, Page, StoredHead } from "../port/artefacts.ts";
import type { Refused } from "../port/refused.ts";
import { artefactOfFields, beginningOf, deliveredCommit } from "../records/artefact-fields.ts";
import { oldestFirst, walkContext } from "../records/context-chain.ts";
import { checkContext, defaultContextBytes } from "../records/context-limit.ts";
import {
  type HandWritten,
  judge,
  judgedFields,
  sourcesOf,
  writtenOver,
} from "../records/hand-written.ts";
import type { Keys } from "../records/keys.ts";
import { registrationOfText } from "../records/registration-text.ts";
import { artefactProblem } from "./artefact-problem.ts";
import type { EnsureOn } from "./contact.ts";
import { contextNode } from "./context-node.ts";
import type { IsFenced } from "./leader.ts";
import { follow, Notifier } from "./notifier.ts";
import { outlineOf } from "./outline.ts";
import { postProblem } from "./post-problem.ts";
import type { State } from "./state.ts";

type HandleDeps = { keys: Keys; isFenced: IsFenced; ensureOn: EnsureOn; closed: AbortSignal };

export function artefactsOf(
  state: State,
  { keys, isFenced, ensureOn, closed }: HandleDeps,
): ArtefactBoard {
  const read = (id: ArtefactId) =>
    artefactOfFields(state.artefacts.get(id) ?? {}, keys.artefact(id));
  return {
    async createArtefact(artefact, actor) {
      const problem = postProblem(state, artefact);
      if (problem !== undefined) return problem;
      state.storeArtefact(artefact, actor);
      return { outcome: "created" };
    },

    async adoptArtefact(id, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      return adopt(state, id);
    },

    async *artefactHints(signal) {
      const ended = AbortSignal.any([signal, closed]);
      const ids: string[] = [];
      const changed = new Notifier();
      const receive = (id: string) => {
        ids.push(id);
        changed.notify();
      };
      state.artefactListeners.add(receive);
      try {
        yield* follow(() => ids.splice(0), changed, ended);
      } finally {
        state.artefactListeners.delete(receive);
      }
    },

    async readArtefact(id) {
      return read(id);
    },

    async readWithDigest(id) {
      const artefact = read(id);
      return artefact && { artefact, digest: state.digestOf(id) };
    },

    async readArtefacts(ids) {
      return ids.map(read).filter((artefact): artefact is Artefact => artefact !== undefined);
    },

    async readHeads(ids) {
      return ids.flatMap((id) => {
        const artefact = read(id);
        return artefact === undefined ? [] : [storedHead(artefact)];
      });
    },

    async findOverwritten(ids) {
      return ids.filter(
        (id) => state.indexed.has(id) && state.indexed.get(id) !== state.digestOf(id),
      );
    },

    async readOutline(goal) {
      return outlineOf(state, goal);
    },

    async readContext(target, additionalIds, maxBytes = defaultContextBytes) {
      const latestOf = (thread: LogicalId) => state.versionsOf(thread).at(-1);
      const nodeOf = (id: ArtefactId) => contextNode(id, state.artefacts.get(id) ?? {});
      const entries = walkContext(target, additionalIds, { read: nodeOf, latestOf });
      const chosen = [
        ...entries.map(({ artefact }) => artefact),
        ...additionalIds.flatMap((id) => nodeOf(id) ?? []),
      ];
      const parts = new Map(chosen.map((node) => [node.id, node]));
      checkContext([...parts.values()], maxBytes);
      const artefacts = new Map([...parts.keys()].map((id) => [id, read(id)]));
      const chain = entries.flatMap(({ artefact: { id }, depth }) => {
        const artefact = artefacts.get(id);
        return artefact === undefined ? [] : [{ artefact, depth }];
      });
      return {
        chain: oldestFirst(chain),
        additional: additionalIds.flatMap((id) => artefacts.get(id) ?? []),
      };
    },

    async readThread(thread) {
      return state.versionsOf(thread);
    },

    listArtefacts: async (page) => pageOf([...state.indexed.keys()], page),
    countArtefacts: async () => state.indexed.size,
    findArtefacts: async (start) => [...state.indexed.keys()].filter((id) => id.startsWith(start)),
    listGoals: async (page) => pageOf(state.goalIds, page),
    countGoals: async () => state.goalIds.length,
    listArtefactsOfGoal: async (goal, page) => pageOf(state.goals.get(goal)?.artefacts ?? [], page),

    async listCommits() {
      return [...state.withCommit].flatMap((artefact) => {
        const commit = deliveredCommit(state.artefacts.get(artefact) ?? {});
        return commit === undefined ? [] : [{ artefact, ...commit }];
      });
    },

    async readGoal(goal) {
      const record = state.goals.get(goal);
      const trigger = state.triggers.goals.get(goal)?.get("trigger");
      return { ended: record?.ended, artefacts: record?.artefacts.length ?? 0, trigger };
    },

    async endGoal({ goal, ending, by, failure, epoch, readOn }) {
      ensureOn(readOn);
      if (isFenced(epoch)) return { outcome: "fenced" };
      const record = state.goal(goal);
      if (state.isGoalEnded(goal)) return { outcome: "already" };
      record.ended = ending;
      const actor = `orchestrator:${epoch}`;
      if (failure !== undefined && artefactProblem(state, failure) === undefined)
        state.storeArtefact(failure, actor);
      for (const id of state.openQuestions)
        if (state.artefacts.get(id)?.goal_id === goal) state.openQuestions.delete(id);
      state.log({ type: "goal_ended", goal_id: goal, data: { ending, ...(by && { by }) } }, actor);
      return { outcome: "ended" };
    },
  };
}

function pageOf<Id>(ids: readonly Id[], page: Page = { from: 0, count: ids.length }): Id[] {
  return ids.slice(page.from, page.from + page.count);
}

function storedHead({ payload, ...head }: Artefact): StoredHead {
  return { head, payloadBytes: Buffer.byteLength(payload), beginning: beginningOf(head, payload) };
}

function adopt(
  state: State,
  id: ArtefactId,
): { outcome: "adopted" | "known" | "absent" } | Refused {
  const refuse = (reason: string): Refused => {
    state.log({ type: "artefact_refused", artefact_id: id, data: { reason } }, "hand");
    return { outcome: "refused", reason };
  };
  const digest = state.indexed.get(id);
  if (digest !== undefined)
    return digest === state.digestOf(id) ? { outcome: "known" } : refuse(writtenOver(id));
  if (!state.artefacts.has(id)) return { outcome: "absent" };
  const written = handWritten(state, id);
  const goals = sourcesOf(written).map((source) =>
    state.indexed.has(source) ? (state.artefacts.get(source)?.goal_id ?? "") : undefined,
  );
  // The field may have any text; only an id names a thread.
  const thread = state.endOfThread(written.fields.logical_id as LogicalId);
  const agents = [...state.agents].map(([name, text]) => registrationOfText(name, text));
  const createdAt = new Date(state.now()).toISOString();
  const judgement = judge(id, written, { goals, thread, agents, createdAt });
  if ("problem" in judgement) return refuse(judgement.problem);
  const { artefact } = judgement;
  const isOwnGoal = String(artefact.goal_id) === String(id);
  if (!isOwnGoal && (state.goals.get(artefact.goal_id)?.artefacts.length ?? 0) === 0)
    return refuse(`There is no goal ${artefact.goal_id}.`);
  if (state.isGoalEnded(artefact.goal_id)) return refuse(`Goal ${artefact.goal_id} was ended.`);
  state.artefacts.set(id, { ...state.artefacts.get(id), ...judgement.filled });
  state.indexArtefact(artefact, "hand");
  return { outcome: "adopted" };
}

function handWritten(state: State, id: ArtefactId): HandWritten {
  const stored = state.artefacts.get(id);
  const fields = Object.fromEntries(
    judgedFields.map((name) => [name, stored?.[name] ?? ""]),
  ) as HandWritten["fields"];
  return {
    fields,
    illegible: [],
    payloadBytes:
      stored?.payload === undefined ? undefined : new TextEncoder().encode(stored.payload).length,
  };
}
