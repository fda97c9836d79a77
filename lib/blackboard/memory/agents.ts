// Agents of the memory blackboard.
import type { RegisteredAgent } from "../../model/agent.ts";
import type { Actor } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";
import type { AgentBoard } from "../port/blackboard.ts";
import { registrationOfText, textOfRegistration } from "../records/registration-text.ts";
import { copyOf } from "./copy.ts";
import type { State } from "./state.ts";

const maxWorkerLogs = 200;

export function agentsOf(state: State): AgentBoard {
  function register(registration: RegisteredAgent, actor: Actor): void {
    const { name: agent } = registration;
    const { text, data } = textOfRegistration(registration);
    state.senders.set(agent, registration.role);
    state.expectedAgents.delete(agent);
    state.ownRegistrations.set(agent, text);
    if (state.agents.get(agent) === text) return;
    state.agents.set(agent, text);
    state.log({ type: "agent_registered", agent, data }, actor);
  }

  function forget(agent: AgentName): void {
    state.statuses.delete(agent);
    state.ownRegistrations.delete(agent);
  }

  return {
    async registerAgents(registrations, actor, { exact }) {
      for (const registration of registrations) register(registration, actor);
      if (!exact) return;
      for (const agent of state.expectedAgents.keys()) forget(agent);
      state.expectedAgents.clear();
      for (const agent of [...state.agents.keys()].sort()) {
        if (registrations.some((registration) => registration.name === agent)) continue;
        state.agents.delete(agent);
        forget(agent);
        state.log({ type: "agent_removed", agent }, actor);
      }
    },

    async expectAgents(registrations, actor) {
      for (const registration of registrations) {
        const { name: agent } = registration;
        if (state.agents.has(agent)) {
          register(registration, actor);
          continue;
        }
        const { text } = textOfRegistration(registration);
        state.senders.set(agent, registration.role);
        state.expectedAgents.set(agent, text);
        state.ownRegistrations.set(agent, text);
      }
    },

    async findAgent(name) {
      const text = state.ownRegistrations.get(name);
      return text === undefined ? undefined : registrationOfText(name, text);
    },

    async listAgents() {
      return [...state.agents]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, text]) => registrationOfText(name, text));
    },

    async keepWorkerLog(agent, log) {
      const kept = state.workerLogs.get(agent) ?? [];
      const id = String(Number(kept.at(-1)?.id ?? 0) + 1);
      state.workerLogs.set(agent, [...kept, { id, ...copyOf(log) }].slice(-maxWorkerLogs));
    },

    async readWorkerLogs(agent, after = "0") {
      return copyOf(
        (state.workerLogs.get(agent) ?? []).filter(({ id }) => Number(id) > Number(after)),
      );
    },

    async reportStatus(agent, status) {
      state.statuses.set(agent, copyOf(status));
    },

    async listStatuses() {
      const isKnown = (agent: AgentName) =>
        state.agents.has(agent) || state.expectedAgents.has(agent);
      return new Map(
        [...state.statuses]
          .filter(([agent]) => isKnown(agent))
          .map(([agent, status]) => [agent, copyOf(status)]),
      );
    },
  };
}
