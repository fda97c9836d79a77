// The egress proxy: for an instance with an agent that has `egress` or `network: open`. It has no
// key, no password and no data of the instance.
import type { AgentConfig } from "../../../lib/model/config.ts";
import { reachOf } from "../../../lib/model/egress.ts";
import { prepareWay } from "../../../lib/model/prepare.ts";
import { temporaryFolder } from "./environment.ts";
import { gatewayStopSeconds, serviceResources, serviceUser } from "./limits.ts";
import { serves } from "./reach.ts";
import { defineService } from "./service.ts";

const hostsVariable = "SETT_EGRESS";
const machineVariable = "SETT_EGRESS_MACHINE";

export const egress = defineService({
  name: "egress",
  image: "gateway",
  isNeeded: ({ agents }) => agents.some((agent) => waysOf(agent).length > 0),
  plan: ({ instance, config, machineNetworks = [], doors }) => {
    const ways = config.agents.flatMap(waysOf);
    return {
      program: "gateway",
      start: { args: ["--egress"] },
      isBarrier: true,
      env: {
        SETT_INSTANCE_NAME: instance,
        [hostsVariable]: JSON.stringify(Object.fromEntries(ways)),
        ...(machineNetworks.length > 0 && { [machineVariable]: JSON.stringify(machineNetworks) }),
      },
      needs: [
        serves(
          { doors },
          "egress",
          ways.map(([way]) => way),
        ),
        temporaryFolder(16),
      ],
      // Not that of Redis and the orchestrator: a mistake in the proxy would lead nowhere but
      // outside.
      network: "open",
      reachesMachine: true,
      healthPort: 8080,
      user: serviceUser,
      resources: serviceResources,
      pidsLimit: 512,
    };
  },
  ready: "answers",
  starts: "before-agents",
  stops: "after-agents",
  stopSeconds: gatewayStopSeconds,
  sign: { variable: "SETT_EGRESS_URL" },
  machineNetworks: {
    variable: machineVariable,
    // By a host that is named in full, agents reach this machine only where a person wants it.
    isNeeded: (variables) => /"\*/.test(variables[hostsVariable] ?? ""),
    why: "The proxy takes them for other hosts, so agents with `network: open` or a `*` in `egress` reach this machine there.",
  },
});

/** The ways of an agent through the proxy, and where each of them leads. */
function waysOf(agent: AgentConfig): [way: string, targets: readonly string[]][] {
  const { egress = [] } = agent.workspace.prepare ?? {};
  return [
    ...(usesProxy(agent) ? [[agent.name, reachOf(agent)] satisfies [string, unknown]] : []),
    ...(egress.length > 0 ? [[prepareWay(agent.name), egress] satisfies [string, unknown]] : []),
  ];
}

/** Whether an agent reaches anything outside through the proxy. */
export function usesProxy(agent: Pick<AgentConfig, "network" | "egress">): boolean {
  return reachOf(agent).length > 0;
}
