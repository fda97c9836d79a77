// Agents: registrations, heartbeats, the logs of workers.
import type { AgentRegistration } from "../../../../../lib/model/agent.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { sampleAgent } from "../../../records/sample.ts";
import { call } from "../call.ts";
import { agents, type World } from "../world.ts";
import type { Move } from "./move.ts";

export const agentMoves: readonly Move[] = [
  {
    weight: 3,
    make: (world) =>
      call(world.handle(), "registerAgents", registrations(world), "person:Ada", {
        exact: world.random.chance(0.4),
      }),
  },
  {
    weight: 2,
    make: (world) => call(world.handle(), "expectAgents", registrations(world), "person:Ada"),
  },
  { weight: 1, make: (world) => call(world.handle(), "listAgents") },
  { weight: 1, make: (world) => call(world.handle(), "findAgent", world.agent()) },
  {
    weight: 2,
    make: (world) => {
      const lines = world.random.oneOf([], ["one"], ["one", "", "zwei ü"]);
      return call(world.handle(), "keepWorkerLog", world.agent(), {
        worker: world.random.oneOf("w1", "w2"),
        lines,
      });
    },
  },
  {
    weight: 2,
    make: (world) =>
      call(world.handle(), "readWorkerLogs", world.agent(), world.random.oneOf(undefined, 0, 1, 2)),
  },
  {
    weight: 1,
    make: (world) => {
      const state = world.random.oneOf("idle" as const, "working" as const);
      const about = world.random.chance(0.5) ? { claim_id: world.claimId() } : {};
      return call(world.handle(), "reportStatus", world.agent(), {
        at: world.state.now(),
        state,
        ...about,
      });
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "listStatuses") },
];

function registrations(world: World): AgentRegistration[] {
  return world.random.some([...agents, AgentName.parse("person-1")], 0.6).map((name) =>
    sampleAgent(name, {
      role: world.random.oneOf<string>(name, name, "coder"),
      retries: world.random.below(2),
      ...(world.random.chance(0.3) && { bids: [{ on: "Code*", bid: "review" }] }),
      ...(world.random.chance(0.3) && { external: true }),
    }),
  );
}
