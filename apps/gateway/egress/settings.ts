// The settings of the egress proxy, from its environment.
import { z } from "zod";
import { Egress, parseTarget } from "../../../lib/model/egress.ts";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { reachOf, reachSettings } from "../../../lib/reach/open-reach.ts";
import {
  healthAddress,
  jsonText,
  NonEmpty,
  readEnvironment,
} from "../../../lib/service/environment.ts";

const PrepareWay = z
  .string()
  .refine((way) => way.endsWith(".prepare") && AgentName.safeParse(way.slice(0, -8)).success);

/** docs/reference/services.md#settings is made from the descriptions here. */
export const EgressEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  SETT_EGRESS: jsonText(
    z.record(z.union([AgentName, PrepareWay]), z.array(Egress)),
    '{"builder":["registry.example.org:443"]}',
  ).describe(
    "The `egress` of each agent, as JSON; that of its `workspace.prepare` as `AGENT.prepare`.",
  ),
  SETT_EGRESS_MACHINE: jsonText(z.array(z.string()), '["203.0.113.7/32"]')
    .default([])
    .describe(
      "Public networks of this machine, as JSON, which agents reach only where `egress` names the host in full.",
    ),
  SETT_SOCKETS_DIR: NonEmpty.default("/run/sett/egress").describe(
    "Where each agent has a folder for its socket.",
  ),
  ...reachSettings,
  ...healthAddress,
});

export type EgressSettings = ReturnType<typeof readEgressSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readEgressSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(EgressEnvironment, environment);
  return {
    instance: read.SETT_INSTANCE_NAME,
    agents: new Map(
      Object.entries(read.SETT_EGRESS).map(([agent, texts]) => [
        agent,
        texts.flatMap((text) => parseTarget(text) ?? []),
      ]),
    ),
    machine: read.SETT_EGRESS_MACHINE,
    socketsFolder: read.SETT_SOCKETS_DIR,
    reach: reachOf(read),
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
  };
}
