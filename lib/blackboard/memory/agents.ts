// Agents of the memory blackboard.
import { AgentRegistration } from "../../model/agent.ts";
import type { AgentBoard } from "../port.ts";
import type { State } from "./state.ts";

const mostWorkerLogs = 200;

export function agentsOf(state: State): AgentBoard {
  return {
    async registerAgents(registrations, actor, { exact }) {
      for (const given of registrations) {
        const registration = AgentRegistration.parse(given);
        const { name: agent, role, replicas, strategy, image } = registration;
        if (JSON.stringify(state.agents.get(agent)) === JSON.stringify(registration)) continue;
        state.agents.set(agent, registration);
        state.log({ type: "agent_registered", agent, data: { role, replicas, strategy, image } }, actor);
      }
      if (!exact) return;
      for (const agent of [...state.agents.keys()].sort()) {
        if (registrations.some((registration) => registration.name === agent)) continue;
        state.agents.delete(agent);
        state.statuses.delete(agent);
        state.log({ type: "agent_removed", agent }, actor);
      }
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
