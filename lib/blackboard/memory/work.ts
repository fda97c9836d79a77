// What the work on a grant needs, of the memory blackboard. lua/begin-work.lua says the same.
import type { Artefact } from "../../model/artefact.ts";
import { isEnded } from "../../model/claim.ts";
import { messageOf } from "../../model/errors.ts";
import type { ArtefactId, LogicalId } from "../../model/ids.ts";
import { phasesBefore } from "../../model/phase.ts";
import { begunText } from "../mail/begun-message.ts";
import type { GrantBoard, WorkToDo } from "../port/grants.ts";
import { artefactOfFields } from "../records/artefact-fields.ts";
import { oldestFirst, walkContext } from "../records/context-chain.ts";
import { defaultContextBytes, pieceBytes } from "../records/context-limit.ts";
import { inOrder } from "../records/grant-order.ts";
import type { Keys } from "../records/keys.ts";
import { contextNode } from "./context-node.ts";
import { grantProblem } from "./grants.ts";
import type { ClaimRecord, State } from "./state.ts";

export function beginWorkOf(
  state: State,
  keys: Keys,
  takeGrant: GrantBoard["takeGrant"],
): GrantBoard["beginWork"] {
  const nodeOf = (id: ArtefactId) => contextNode(id, state.artefacts.get(id) ?? {});
  const latestOf = (thread: LogicalId) => state.versionsOf(thread).at(-1);
  return async ({ claim: id, agent, run, message, maxBytes = defaultContextBytes }) => {
    const record = state.claims.get(id);
    const grant = record?.grants.get(agent);
    const isRepeat = grant?.state === "running" && grant.run_id === run;
    if (record === undefined || isEnded(record.claim.status)) return { outcome: "none" };
    if (grant === undefined || !(isRepeat || grant.state === "queued")) return { outcome: "none" };
    const { attempt, queued_at } = grant;
    const reason = grantProblem(state, record, {
      claim: id,
      agent,
      attempt,
      state: grant.state,
      queued_at,
    });
    if (reason !== undefined) return { outcome: "refused", reason };

    const { artefact_id, goal_id, kind, additional_context_ids } = record.claim;
    const limit = Math.min(pieceBytes, maxBytes);
    const target = nodeOf(artefact_id);
    if (target === undefined || target.bytes > limit) return { outcome: "apart" };
    const earlier = resultsBefore(record, grant.phase);
    const additional = [
      ...new Set([...earlier, ...additional_context_ids, ...(grant.dialogue ?? [])]),
    ];
    const entries = walkContext(target, additional, { read: nodeOf, latestOf });
    const chosen = [
      ...entries.map(({ artefact }) => artefact),
      ...additional.flatMap((one) => nodeOf(one) ?? []),
    ];
    const parts = [...new Map(chosen.map((node) => [node.id, node])).values()];
    if (parts.reduce((sum, { bytes }) => sum + bytes, 0) > limit) return { outcome: "apart" };

    const contextIds = parts.map((node) => node.id);
    const needsCommit = grant.state === "queued" && grant.base_commit !== undefined;
    const hasCommit = [target, ...parts].some(
      ({ id: one, type }) => type === "CodeCommit" || namesCommit(state, one),
    );
    const isTaken =
      isRepeat || (message.mayTake && !needsCommit && !hasCommit && !namesCommit(state, goal_id));
    if (isTaken && !isRepeat) {
      const text = begunText(message, { attempt, queued_at, context_ids: contextIds });
      const taken = await takeGrant({
        claim: id,
        agent,
        attempt,
        queued_at,
        run,
        message: { id: message.id, text },
      });
      if (taken.outcome === "refused") return taken;
    }
    const read = (one: ArtefactId) =>
      artefactOfFields(state.artefacts.get(one) ?? {}, keys.artefact(one)) as Artefact;
    const inputs = (): WorkToDo["inputs"] => {
      try {
        const all = new Map(contextIds.map((one) => [one, read(one)]));
        const depths = entries.map(({ artefact, depth }) => ({
          artefact: all.get(artefact.id) as Artefact,
          depth,
        }));
        const value = {
          target: read(artefact_id),
          chain: oldestFirst(depths),
          additional: additional.flatMap((one) => all.get(one) ?? []),
        };
        return { ok: true, value };
      } catch (error) {
        return { ok: false, reason: messageOf(error) };
      }
    };
    const claim = {
      id,
      artefact_id,
      goal_id,
      kind,
      additional_context_ids: [...additional_context_ids],
    };
    return {
      outcome: isTaken ? "taken" : "read",
      claim,
      grant: structuredClone(grant),
      earlier,
      contextIds,
      inputs: inputs(),
    };
  };
}

function namesCommit(state: State, id: string): boolean {
  return state.artefacts.get(id as ArtefactId)?.metadata?.includes('"commit"') === true;
}

function resultsBefore(
  { grants }: ClaimRecord,
  phase: Parameters<typeof phasesBefore>[0],
): ArtefactId[] {
  return phasesBefore(phase).flatMap((earlier) =>
    inOrder([...grants.values()]).flatMap((one) =>
      one.phase === earlier && one.state === "done" ? one.artefact_ids : [],
    ),
  );
}
