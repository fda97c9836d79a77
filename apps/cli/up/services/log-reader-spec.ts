// The container of the reader of logs, which gives the API the logs of this instance's parts, and
// can do nothing else. Only where there is an API. Pure.
import type { Owner } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { logReaderName, logsVolumeName } from "../../../../lib/runtime/names.ts";
import { logReaderResources } from "../../services/limits.ts";
import type { PlanInput, PlannedService } from "../plan/plan-input.ts";
import { planSocketHolder } from "./socket-holder.ts";
import { logsSocket, logsSocketMount } from "./sockets.ts";

type ReaderInput = Pick<PlanInput, "instance" | "images" | "engineSocket">;

/** Undefined where the Engine's socket is not known. */
export function planLogReader(
  input: ReaderInput,
  { user, labels }: { user: Owner; labels: Record<"reader" | "socket", PartLabels> },
): PlannedService | undefined {
  const { instance, engineSocket: engine } = input;
  if (engine === undefined) return undefined;
  const holder = {
    name: logReaderName(instance),
    mode: "--log-reader",
    env: {},
    labels: { service: labels.reader, socket: labels.socket },
    socket: {
      volume: logsVolumeName(instance),
      path: logsSocket,
      mount: logsSocketMount(input, "rw"),
    },
    resources: logReaderResources,
  };
  return planSocketHolder(input, holder, { engine, user });
}
