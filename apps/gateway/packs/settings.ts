// The settings of the service of packs, from its environment.
import { z } from "zod";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { reachOf, reachSettings } from "../../../lib/reach/open-reach.ts";
import {
  healthAddress,
  jsonText,
  NonEmpty,
  readEnvironment,
} from "../../../lib/service/environment.ts";

/** docs/reference/services.md#settings is made from the descriptions here. */
export const PacksEnvironment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance."),
  SETT_PACKS_DIR: NonEmpty.default("/packs").describe("The folder that it has alone."),
  SETT_PACKS_SHELVES: jsonText(
    z.record(AgentName, z.int().min(1).nullable()),
    '{"writer":5368709120,"reviewer":null}',
  ).describe(
    "For each agent how many bytes of commits may be on its shelf, as JSON; null for one that publishes none.",
  ),
  SETT_PACKS_TOKEN: z.string().min(32).describe("Who has it acts for the person, at the port."),
  SETT_SOCKETS_DIR: NonEmpty.default("/run/sett/packs").describe(
    "Where each agent has a folder for its socket, and the API, which is `api`, as well.",
  ),
  SETT_PACKS_PORT: z.coerce
    .number()
    .int()
    .default(8090)
    .describe("The port at which commands of the person reach it."),
  SETT_PACKS_HOST: NonEmpty.default("127.0.0.1").describe("The address of that port."),
  ...reachSettings,
  ...healthAddress,
});

export type PacksSettings = ReturnType<typeof readPacksSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readPacksSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(PacksEnvironment, environment);
  const all = Object.entries(read.SETT_PACKS_SHELVES).map(
    ([agent, bytes]) => [AgentName.parse(agent), bytes] as const,
  );
  return {
    instance: read.SETT_INSTANCE_NAME,
    folder: read.SETT_PACKS_DIR,
    agents: all.map(([agent]) => agent),
    shelves: new Map(all.flatMap(([agent, bytes]) => (bytes === null ? [] : [[agent, bytes]]))),
    token: read.SETT_PACKS_TOKEN,
    socketsFolder: read.SETT_SOCKETS_DIR,
    port: read.SETT_PACKS_PORT,
    host: read.SETT_PACKS_HOST,
    reach: reachOf(read),
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
  };
}
