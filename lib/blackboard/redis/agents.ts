// Agents in Redis. People may have written into these hashes, so that they are checked when they
// are read.
import { AgentStatus, type RegisteredAgent, type ReportedStatus } from "../../model/agent.ts";
import type { Actor } from "../../model/event.ts";
import { AgentName, ClaimId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import type { Preparing } from "../../model/preparing.ts";
import type { AgentBoard } from "../port/blackboard.ts";
import { registrationOfText, textOfRegistration } from "../records/registration-text.ts";
import { type Client, isRefusal } from "./client.ts";
import type { Deps } from "./deps.ts";
import { unlessWrongType } from "./wrong-type.ts";

/** How many logs of each agent are kept, about. */
const maxWorkerLogs = 200;
/**
 * A heartbeat is shorter. An agent may write a longer one, which would be too much for those who
 * read the heartbeats of all agents.
 */
const maxStatusLength = 1_000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function agentsOf({ connection, keys, call }: Deps): AgentBoard {
  async function register(
    registrations: readonly RegisteredAgent[],
    actor: Actor,
    mode: "add" | "exact" | "expect",
  ) {
    const stored = {
      agents: keys.agents,
      expected_agents: keys.expectedAgents,
      senders: keys.senders,
    };
    const records = registrations.map((registration) => {
      const { text, data } = textOfRegistration(registration);
      return {
        name: registration.name,
        role: registration.role,
        json: text,
        event_data: JSON.stringify(data),
      };
    });
    await call("registerAgents", stored, { actor, mode, registrations: records });
  }

  return {
    registerAgents: (registrations, actor, { exact }) =>
      register(registrations, actor, exact ? "exact" : "add"),

    expectAgents: (registrations, actor) => register(registrations, actor, "expect"),

    async findAgent(name) {
      const text = await connection.run((client) => client.get(keys.agentRegistration(name)));
      return text === null ? undefined : registrationOfText(name, text);
    },

    async listAgents() {
      const all = await connection.run((client) => client.hGetAll(keys.agents));
      // A field that is no agent's name is ignored.
      const names = Object.keys(all).flatMap((name) => AgentName.safeParse(name).data ?? []);
      return names.sort().map((name) => registrationOfText(name, all[name] ?? ""));
    },

    async keepWorkerLog(agent, { worker, lines }) {
      const entry = { worker, text: lines.join("\n") };
      const trim = { strategy: "MAXLEN", strategyModifier: "~", threshold: maxWorkerLogs } as const;
      await connection.run((client) =>
        client.xAdd(keys.workerLogs(agent), "*", entry, { TRIM: trim }),
      );
    },

    async readWorkerLogs(agent, after) {
      const from = after === undefined ? "-" : `(${after}`;
      const entries = await connection.run((client) =>
        client.xRange(keys.workerLogs(agent), from, "+"),
      );
      return (entries ?? []).map(({ id, message: { worker = "", text = "" } }) => ({
        id,
        worker,
        lines: text === "" ? [] : text.split("\n"),
      }));
    },

    async reportStatus(agent, status) {
      await connection.run((client) => client.set(keys.agentStatus(agent), JSON.stringify(status)));
    },

    async listStatuses() {
      // In this order, so that an agent that is registered meanwhile is found in one of the two
      // places.
      const [expected, registered, notes] = await connection.run((client) =>
        Promise.all([
          client.hKeys(keys.expectedAgents),
          client.hKeys(keys.agents),
          client.hGetAll(keys.preparing).catch(unlessWrongType({})),
        ]),
      );
      const names = [...new Set([...expected, ...registered])].flatMap(
        (name) => AgentName.safeParse(name).data ?? [],
      );
      if (names.length === 0) return new Map();
      const texts = await connection.run((client) =>
        Promise.all(names.map((agent) => beginningOf(client, keys.agentStatus(agent)))),
      );
      const preparing = preparingOf(notes);
      const statuses = new Map<AgentName, ReportedStatus>();
      for (const [place, agent] of names.entries()) {
        const status = AgentStatus.safeParse(parseJson(texts[place])).data;
        if (status === undefined) continue;
        const ofAgent = preparing.get(agent);
        statuses.set(agent, ofAgent === undefined ? status : { ...status, preparing: ofAgent });
      }
      return statuses;
    },
  };
}

const preparingNote = /^(\d+) (\d+) (\d+) (\d+)$/;

/** The notes by agent. What a person has written among them is left out. */
function preparingOf(notes: Readonly<Record<string, string>>): Map<string, Preparing[]> {
  const all = new Map<string, Preparing[]>();
  for (const [field, text] of Object.entries(notes)) {
    const [id = "", agent = ""] = field.split(":");
    const claim = ClaimId.safeParse(id).data;
    const numbers = preparingNote.exec(text)?.slice(1).map(Number);
    if (claim === undefined || numbers === undefined) continue;
    const [attempt = 0, at = 0, files = 0, of = 0] = numbers;
    all.set(agent, [...(all.get(agent) ?? []), { claim, attempt, at, files, of }]);
  }
  return all;
}

/** Empty where there is none, also where a person has made something else of it. */
async function beginningOf(client: Client, key: string): Promise<string> {
  try {
    return (await client.getRange(key, 0, maxStatusLength - 1)) ?? "";
  } catch (error) {
    if (isRefusal(error)) return "";
    throw error;
  }
}
