// Agents of the memory blackboard.
import { AgentRegistration } from "../../model/agent.ts";
import type { Actor } from "../../model/event.ts";
import type { AgentBoard } from "../port.ts";
import type { State } from "./state.ts";

const mostWorkerLogs = 200;

export function agentsOf(state: State): AgentBoard {
  function register(registration: AgentRegistration, actor: Actor): void {
    const { name: agent, role, replicas, strategy, image } = registration;
    state.expectedAgents.delete(agent);
    if (JSON.stringify(state.agents.get(agent)) === JSON.stringify(registration)) return;
    state.agents.set(agent, registration);
    state.log({ type: "agent_registered", agent, data: { role, replicas, strategy, image } }, actor);
  }

  return {
    async registerAgents(registrations, actor, { exact }) {
      for (const given of registrations) register(AgentRegistration.parse(given), actor);
      if (!exact) return;
      for (const agent of state.expectedAgents.keys()) state.statuses.delete(agent);
      state.expectedAgents.clear();
      for (const agent of [...state.agents.keys()].sort()) {
        if (registrations.some((registration) => registration.name === agent)) continue;
        state.agents.delete(agent);
        state.statuses.delete(agent);
        state.log({ type: "agent_removed", agent }, actor);
      }
    },

    async expectAgents(registrations, actor) {
      for (const given of registrations) {
        const registration = AgentRegistration.parse(given);
        if (state.agents.has(registration.name)) register(registration, actor);
        else state.expectedAgents.set(registration.name, registration);
      }
    },

    async findAgent(name) {
      return structuredClone(state.agents.get(name) ?? state.expectedAgents.get(name));
    },

    async listAgents() {
      return [...state.agents].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, agent]) => structuredClone(agent));
    },

    async keepWorkerLog(agent, log) {
      const kept = state.workerLogs.get(agent) ?? [];
      const id = String(Number(kept.at(-1)?.id ?? 0) + 1);
      state.workerLogs.set(agent, [...kept, { id, ...structuredClone(log) }].slice(-mostWorkerLogs));
    },

    async readWorkerLogs(agent, after = "0") {
      return structuredClone((state.workerLogs.get(agent) ?? []).filter(({ id }) => Number(id) > Number(after)));
    },

    async reportStatus(agent, status) {
      state.statuses.set(agent, structuredClone(status));
    },

    async listStatuses() {
      return structuredClone(state.statuses);
    },
  };
}
