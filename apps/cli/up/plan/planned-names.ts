// The names that an instance of a configuration needs on its Engine, known before anything is
// built. Pure.
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import {
  agentContainerName,
  apiName,
  apiVolumeName,
  blackboardVolumeName,
  egressName,
  egressVolumeName,
  gatewayName,
  gatewaySocketVolumeName,
  keeperName,
  logReaderName,
  logsVolumeName,
  networkName,
  openNetworkName,
  orchestratorName,
  recordVolumeName,
  redisName,
  redisSocketVolumeName,
  secretsVolumeName,
  setAsideName,
  starterName,
  starterVolumeName,
  workerWorkspaceName,
  workspaceVolumeName,
} from "../../../../lib/runtime/names.ts";
import type { Stranger } from "../../../../lib/runtime/port.ts";
import { hasModels, withModel } from "../services/gateway-spec.ts";
import { hasApi, showsLogs } from "../services/has-api.ts";
import { hasSecrets } from "../services/keeper-spec.ts";
import { hasEgress, hasOpenNetwork, usesProxy } from "../services/sockets.ts";

type Names = Record<Exclude<Stranger["sort"], "image">, string[]>;

/**
 * Without the volume of the cub, whose name depends on an image, and without workers, whose names
 * depend on claims.
 */
export function plannedNames(instance: InstanceName, config: SettConfig): Names {
  const { agents } = config;
  const hasGateway = hasModels(config);
  const ifAny = <Name>(condition: boolean, ...names: Name[]) => (condition ? names : []);
  const containers = [
    ...[redisName(instance), orchestratorName(instance)],
    ...ifAny(hasGateway, gatewayName(instance)),
    ...ifAny(hasEgress(config), egressName(instance)),
    ...ifAny(agents.some(needsWorkers), starterName(instance)),
    ...ifAny(hasSecrets(config), keeperName(instance)),
    ...ifAny(hasApi(config), apiName(instance)),
    ...ifAny(showsLogs(config), logReaderName(instance)),
    ...agents.map(({ name }) => agentContainerName(instance, name)),
  ];
  return {
    container: [...containers, ...containers.map(setAsideName)],
    volume: [
      ...[blackboardVolumeName(instance), redisSocketVolumeName(instance)],
      ...ifAny(hasGateway, recordVolumeName(instance)),
      ...withModel(config).map(({ name }) => gatewaySocketVolumeName(instance, name)),
      ...ifAny(agents.some(needsWorkers), starterVolumeName(instance)),
      ...ifAny(hasApi(config), apiVolumeName(instance)),
      ...ifAny(showsLogs(config), logsVolumeName(instance)),
      ...agents.flatMap((agent) => [
        workspaceVolumeName(instance, agent.name),
        ...ifAny(usesProxy(agent), egressVolumeName(instance, agent.name)),
        ...ifAny(agent.secrets.length > 0, secretsVolumeName(instance, agent.name)),
        ...ifAny(
          needsWorkers(agent),
          ...slotsOf(agent.replicas).map((slot) => workerWorkspaceName(instance, agent.name, slot)),
        ),
      ]),
    ],
    network: [networkName(instance), ...ifAny(hasOpenNetwork(config), openNetworkName(instance))],
  };
}

function slotsOf(replicas: number): number[] {
  return Array.from({ length: replicas }, (_, index) => index + 1);
}
