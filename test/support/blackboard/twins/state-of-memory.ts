// The whole state of the twin in memory, as the keys that Redis would have.

import { brokenText } from "../../../../lib/blackboard/memory/broken-text.ts";
import { listClaimsOf } from "../../../../lib/blackboard/memory/claim-lists.ts";
import type { ClaimRecord, State } from "../../../../lib/blackboard/memory/state.ts";
import { storedKindOf, storedKinds } from "../../../../lib/blackboard/records/due-member.ts";
import { keysOf } from "../../../../lib/blackboard/records/keys.ts";
import { fieldsOfClaim } from "../../../../lib/blackboard/redis/claim-fields.ts";
import { amountKinds } from "../../../../lib/model/amounts.ts";
import type { Amounts } from "../../../../lib/model/budget.ts";
import { type AgentName, InstanceName } from "../../../../lib/model/ids.ts";
import type { NormalState } from "./side.ts";

const keys = keysOf(InstanceName.parse("x"));

export function stateOfMemory(state: State): NormalState {
  const all: NormalState = {};
  const set = (key: string, value: unknown) => {
    if (!isEmpty(value)) all[key.slice(keys.prefix.length)] = value;
  };
  setArtefacts(state, set);
  for (const [id, record] of state.claims) setClaim(state, record, keys.claim(id), set);
  for (const [id, record] of state.claims)
    set(keys.bids(id), new Map(record.claim.bids.map(({ agent, word }) => [agent, word])));
  for (const [id, record] of state.claims)
    set(
      keys.grants(id),
      mapped(record.grants, (grant) => JSON.stringify(grant)),
    );
  setModels(state, set);
  setAgents(state, set);
  set(keys.openClaims, [...state.openClaims]);
  set(keys.openQuestions, [...state.openQuestions]);
  for (const [trigger, marks] of state.triggers.triggers) set(keys.trigger(trigger), marks);
  set(
    keys.triggers,
    mapped(state.triggers.triggers, () => "1"),
  );
  for (const [question, answer] of state.answers) set(keys.question(question), { answer });
  for (const [key, { reply }] of state.replies) set(keys.reply(key), reply);
  for (const [subject, byHook] of state.deliveries)
    set(
      keys.delivery(subject),
      mapped(byHook, (delivery) => JSON.stringify(delivery)),
    );
  for (const kind of storedKinds) {
    const ofKind = new Map([...state.due].filter(([member]) => storedKindOf(member) === kind));
    set(
      keys.dueOfKind(kind),
      mapped(ofKind, ({ at }) => String(at)),
    );
  }
  set(keys.owedEvents, state.owed);
  set(keys.events, state.events);
  set(keys.removedEvents, state.pruned.removed === 0 ? undefined : String(state.pruned.removed));
  set(
    keys.archives,
    mapped(state.pruned.archives, (archive) => JSON.stringify(archive)),
  );
  set(keys.announcements, state.announcements);
  set(keys.orchestrator, orchestratorOf(state));
  return all;
}

type SetKey = (key: string, value: unknown) => void;

function setArtefacts(state: State, set: SetKey): void {
  for (const [id, fields] of state.artefacts) set(keys.artefact(id), fields);
  for (const [id, causes] of state.causes) set(keys.claimsOfArtefact(id), causes);
  for (const thread of state.threads.keys()) set(keys.thread(thread), state.versionsOf(thread));
  set(keys.artefactDigests, state.indexed);
  set(keys.artefacts, [...state.indexed.keys()]);
  set(keys.artefactsWithCommit, [...state.withCommit]);
  set(keys.refusedArtefacts, new Map(state.refused));
  set(keys.goals, state.goalIds);
  for (const goal of new Set([
    ...state.goals.keys(),
    ...state.pruned.retired,
    ...state.triggers.goals.keys(),
  ])) {
    const { ended, artefacts = [] } = state.goals.get(goal) ?? {};
    const marks = Object.fromEntries(state.triggers.goals.get(goal) ?? []);
    set(keys.goal(goal), {
      ...(ended && { ended }),
      ...(state.pruned.retired.has(goal) && { retired: "1" }),
      ...marks,
    });
    set(keys.artefactsOfGoal(goal), artefacts);
  }
}

function setClaim(state: State, record: ClaimRecord, key: string, set: SetKey): void {
  const { claim, cause, commitId, announcedAgain } = record;
  const fields = Object.entries(fieldsOfClaim({ claim, cause, grants: [] })).filter(
    ([field]) => !field.startsWith("granted_"),
  );
  set(key, {
    ...Object.fromEntries(fields),
    ...(state.brokenClaims.has(claim.id) && { electorate: brokenText(claim.electorate) }),
    ...(commitId !== "" && { commit_id: commitId }),
    ...(announcedAgain && { announced_again: "1" }),
  });
}

function setModels({ models }: State, set: SetKey): void {
  for (const [goal, { spent, reserved, added, addedOfAgents, causes, refusals }] of models.goals) {
    const ofAgents = [...addedOfAgents].map(([agent, amounts]) =>
      fieldsOfAmounts(`added:${agent}:`, amounts),
    );
    set(
      keys.goalBudget(goal),
      Object.assign(
        fieldsOfAmounts("spent_", spent),
        fieldsOfAmounts("reserved_", reserved),
        fieldsOfAmounts("added_", added),
        ...ofAgents,
        Object.fromEntries([...causes].map((cause) => [`cause:${cause}`, "1"])),
        Object.fromEntries(
          [...refusals].map(([attempt, refusal]) => [
            `refused:${attempt}`,
            JSON.stringify(refusal),
          ]),
        ),
      ),
    );
  }
  for (const [claim, ofClaim] of models.grants) {
    const fields = [...ofClaim].flatMap(([agent, { spent, reserved }]) => [
      fieldsOfAmounts(`${agent}:spent_`, spent),
      fieldsOfAmounts(`${agent}:reserved_`, reserved),
    ]);
    set(keys.claimBudget(claim), Object.assign({}, ...fields));
  }
  for (const [goal, calls] of models.calls) set(keys.modelCalls(goal), calls);
  set(
    keys.openModelCalls,
    Object.fromEntries(
      [...models.open].map(([id, { goal, lapsesAt }]) => [`${goal}:${id}`, String(lapsesAt)]),
    ),
  );
  for (const [claim, digests] of models.bidTokens) set(keys.bidTokens(claim), digests);
  set(keys.gateway, models.gateway);
}

function setAgents(state: State, set: SetKey): void {
  set(keys.agents, state.agents);
  set(keys.expectedAgents, state.expectedAgents);
  set(keys.senders, state.senders);
  for (const [agent, text] of state.ownRegistrations) set(keys.agentRegistration(agent), text);
  for (const [agent, status] of state.statuses)
    set(keys.agentStatus(agent), JSON.stringify(status));
  for (const [agent, claims] of state.wakeUps) set(keys.agentGrants(agent), claims);
  for (const [agent, claims] of state.queued) set(keys.agentQueued(agent), [...claims]);
  for (const agent of agentsIn(state)) {
    set(keys.agentAsked(agent), listClaimsOf(state, agent, "asked"));
    set(keys.agentWork(agent), listClaimsOf(state, agent, "work"));
  }
  set(keys.paused, state.pause?.since);
  set(
    keys.pausedMail,
    mapped(state.mail.atPause, () => ""),
  );
  for (const [agent, taken] of state.mail.taken)
    set(
      keys.agentTaken(agent),
      mapped(taken, ({ attempt, queued_at, run }) => `${attempt} ${queued_at} ${run}`),
    );
  for (const [agent, sent] of state.mail.out)
    set(
      keys.mailOut(agent),
      sent.map(({ id, text }) => ({ id, text })),
    );
  for (const [agent, answers] of state.mail.in)
    set(
      keys.mailIn(agent),
      answers.map(({ re, text }) => ({ re, text })),
    );
  for (const [agent, logs] of state.workerLogs)
    set(
      keys.workerLogs(agent),
      logs.map(({ worker, lines }) => ({ worker, text: lines.join("\n") })),
    );
}

function agentsIn(state: State): Set<AgentName> {
  return new Set(
    [...state.claims.values()].flatMap(({ claim, grants }) => [
      ...claim.electorate,
      ...grants.keys(),
    ]),
  );
}

function orchestratorOf(state: State): Record<string, unknown> {
  const { leader, noticeCursor, noticeProblems, pause, lastPauseRequest: asked } = state;
  const lease = {
    holder: leader.holder,
    epoch: String(leader.epoch),
    nonce: leader.nonce,
    expires_at: String(leader.expiresAt),
    seen_at: String(leader.seenAt),
    cursor: leader.cursor,
  };
  return {
    ...(leader.epoch > 0 && lease),
    ...(noticeCursor !== undefined && { notice_cursor: noticeCursor }),
    ...(noticeProblems.length > 0 && { notice_problems: JSON.stringify(noticeProblems) }),
    ...(asked && { pause_request: `${asked.outcome} ${asked.id}` }),
    ...(pause && { paused_since: pause.since, paused_by: pause.by }),
  };
}

function fieldsOfAmounts(start: string, amounts: Amounts): Record<string, string> {
  const known = amountKinds.filter((kind) => amounts[kind] !== 0);
  return Object.fromEntries(known.map((kind) => [`${start}${kind}`, String(amounts[kind])]));
}

function mapped<Key, Value>(
  all: ReadonlyMap<Key, Value>,
  of: (value: Value) => unknown,
): Map<Key, unknown> {
  return new Map([...all].map(([key, value]) => [key, of(value)]));
}

/** Redis has no empty keys. */
function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  if (value instanceof Map) return value.size === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
