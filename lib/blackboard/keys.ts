// Every Redis key of an instance, in one place (DESIGN §4). The segment `artifact` is the one fixed exception to British spelling.
import type { AgentName, ArtefactId, ClaimId, GoalId, InstanceName, LogicalId } from "../model/ids.ts";

export type Keys = ReturnType<typeof keysOf>;

/** The key names of one instance. */
export function keysOf(instance: InstanceName) {
  const prefix = `sett:${instance}:`;
  return {
    prefix,
    artefact: (id: ArtefactId | string) => `${prefix}artifact:${id}`,
    claimsOfArtefact: (id: ArtefactId) => `${prefix}artifact:${id}:claims`,
    claim: (id: ClaimId) => `${prefix}claim:${id}`,
    bids: (id: ClaimId) => `${prefix}claim:${id}:bids`,
    grants: (id: ClaimId) => `${prefix}grants:${id}`,
    thread: (id: LogicalId) => `${prefix}thread:${id}`,
    goal: (id: GoalId) => `${prefix}goal:${id}`,
    artefactsOfGoal: (id: GoalId) => `${prefix}goal:${id}:artefacts`,
    question: (id: ArtefactId) => `${prefix}question:${id}`,
    openQuestions: `${prefix}questions:open`,
    told: (subject: string) => `${prefix}told:${subject}`,
    goals: `${prefix}goals`,
    artefacts: `${prefix}artefacts`,
    refusedArtefacts: `${prefix}artefacts:refused`,
    artefactsWithCommit: `${prefix}artefacts:with_commit`,
    artefactDigests: `${prefix}artefacts:digests`,
    openClaims: `${prefix}claims:open`,
    due: `${prefix}due`,
    events: `${prefix}events`,
    announcements: `${prefix}claims`,
    agents: `${prefix}agents`,
    expectedAgents: `${prefix}agents:expected`,
    agentStatus: `${prefix}agent_status`,
    agentGrants: (name: AgentName) => `${prefix}agent:${name}:grants`,
    agentQueued: (name: AgentName) => `${prefix}agent:${name}:queued`,
    workerLogs: (name: AgentName) => `${prefix}agent:${name}:logs`,
    orchestrator: `${prefix}orchestrator`,
    artefactChannel: `${prefix}artefact_events`,
    claimChannel: `${prefix}claim_events`,
  };
}
