// Writes and reads what a command has printed in the event that ends its grant: the data of events
// is flat.
import type { SettEvent } from "../../model/event.ts";
import { type KeptOutput, KeptStream, streamNames } from "../../model/kept-output.ts";

type EventData = NonNullable<SettEvent["data"]>;

/** `stderr`, `stderr_bytes`, `stderr_left_out`, and the same of stdout. */
export function outputData(output: KeptOutput = {}): EventData {
  const data: EventData = {};
  for (const name of streamNames) {
    const { digest, bytes, left_out } = output[name] ?? {};
    if (digest === undefined || bytes === undefined) continue;
    data[name] = digest;
    data[`${name}_bytes`] = bytes;
    if (left_out !== undefined) data[`${name}_left_out`] = left_out;
  }
  return data;
}

/** Undefined where the event names nothing of it. */
export function outputOf(data: EventData = {}): KeptOutput | undefined {
  const output: KeptOutput = {};
  for (const name of streamNames) {
    const stream = KeptStream.safeParse({
      digest: data[name],
      bytes: data[`${name}_bytes`],
      left_out: data[`${name}_left_out`],
    });
    if (stream.success) output[name] = stream.data;
  }
  return Object.keys(output).length === 0 ? undefined : output;
}

const endsOfWork = new Set<SettEvent["type"]>(["grant_done", "grant_failed", "grant_waiting"]);

/** Whether the artefact of this event is what a command made: `grant_started` names its target. */
export function isOfResult({ type, artefact_id }: SettEvent): boolean {
  return artefact_id !== undefined && endsOfWork.has(type);
}
