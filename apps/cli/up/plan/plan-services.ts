// The services of a plan that only some instances have. Pure.
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { Owner } from "../../../../lib/runtime/container-spec.ts";
import { withFingerprint } from "../../../../lib/runtime/fingerprint.ts";
import type { PartKind, PartLabels } from "../../../../lib/runtime/labels.ts";
import { gatewaySocketVolumeName, recordVolumeName } from "../../../../lib/runtime/names.ts";
import { gatewayProgram } from "../../instance/programs.ts";
import { planApi } from "../services/api-spec.ts";
import { planEgress } from "../services/egress-spec.ts";
import { gatewaySpec, hasModels, withModel } from "../services/gateway-spec.ts";
import { hasApi, showsLogs } from "../services/has-api.ts";
import { planKeeper } from "../services/keeper-spec.ts";
import { planLogReader } from "../services/log-reader-spec.ts";
import { hasEgress } from "../services/sockets.ts";
import { planStarter } from "../services/workers.ts";
import type { PlanInput, PlannedAgent, PlannedGateway, PlannedService } from "./plan-input.ts";

export const serviceUser: Owner = { uid: 10001, gid: 10001 };

type LabelsOf = (kind: PartKind) => PartLabels;

export function planGateway(input: PlanInput, labels: LabelsOf): PlannedGateway | undefined {
  const { instance, images, repository, config } = input;
  if (!hasModels(config)) return undefined;
  return {
    spec: withFingerprint(
      gatewaySpec(input, labels({ component: "gateway" })),
      images.gateway?.id ?? "",
    ),
    program: gatewayProgram,
    volumes: [
      { name: recordVolumeName(instance), labels: labels({ component: "record" }) },
      ...withModel(config).map(({ name }) => ({
        name: gatewaySocketVolumeName(instance, name),
        labels: labels({ component: "socket" }),
      })),
    ].map((volume) => ({ ...volume, owner: repository.user, image: images.cub.tag })),
  };
}

export function planEgressOf(input: PlanInput, labels: LabelsOf): PlannedService | undefined {
  if (!hasEgress(input.config)) return undefined;
  const planned = planEgress(input, {
    egress: labels({ component: "egress" }),
    socket: labels({ component: "socket" }),
  });
  return { ...planned, spec: withFingerprint(planned.spec, input.images.gateway?.id ?? "") };
}

export function planStarterOf(
  input: PlanInput,
  agents: readonly PlannedAgent[],
  labels: LabelsOf,
): PlannedService | undefined {
  const ofStarter = {
    starter: labels({ component: "starter" }),
    socket: labels({ component: "socket" }),
  };
  const planned = planStarter(input, agents, { user: serviceUser, labels: ofStarter });
  return (
    planned && { ...planned, spec: withFingerprint(planned.spec, input.images.orchestrator.id) }
  );
}

export function planKeeperOf(input: PlanInput, labels: LabelsOf): PlannedService | undefined {
  const ofVolume = (agent: AgentName) => labels({ component: "secrets", agent });
  const planned = planKeeper(input, labels({ component: "keeper" }), ofVolume);
  return (
    planned && { ...planned, spec: withFingerprint(planned.spec, input.images.gateway?.id ?? "") }
  );
}

export function planApiOf(input: PlanInput, labels: LabelsOf): PlannedService | undefined {
  if (!hasApi(input.config)) return undefined;
  const planned = planApi(input, {
    api: labels({ component: "api" }),
    files: labels({ component: "api-files" }),
  });
  return { ...planned, spec: withFingerprint(planned.spec, input.images.api?.id ?? "") };
}

export function planLogReaderOf(input: PlanInput, labels: LabelsOf): PlannedService | undefined {
  if (!showsLogs(input.config)) return undefined;
  const ofReader = {
    reader: labels({ component: "log-reader" }),
    socket: labels({ component: "socket" }),
  };
  const planned = planLogReader(input, { user: serviceUser, labels: ofReader });
  return (
    planned && { ...planned, spec: withFingerprint(planned.spec, input.images.orchestrator.id) }
  );
}
