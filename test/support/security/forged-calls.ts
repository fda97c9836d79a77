// Plays how mallory writes what it may not: with plain commands, and as the programs of others call
// functions.
import { randomUUID } from "node:crypto";
import {
  digestOfContent,
  fieldsOfArtefact,
} from "../../../lib/blackboard/records/artefact-fields.ts";
import { newSeal } from "../../../lib/blackboard/records/artefact-record.ts";
import type { ArgumentsOf } from "../../../lib/blackboard/redis/call.ts";
import { encodeArgs } from "../../../lib/blackboard/redis/encode-args.ts";
import { type FunctionName, functionTable } from "../../../lib/blackboard/redis/function-table.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { sampleArtefact } from "../records/sample.ts";
import type { Prey } from "./hostile-scene.ts";

export type ForbiddenCommands = { attack: string; commands: (targets: Prey) => string[][] };

export const ada = "person:Ada Lovelace <ada@sett.invalid>";
/** As the programs themselves would call a function of the library. */
export function call<Name extends FunctionName>(
  { library, keys: { prefix, events, probe } }: Prey,
  name: Name,
  keys: Record<(typeof functionTable)[Name]["keys"][number], string>,
  args: ArgumentsOf<Name>,
): string[] {
  const inOrder = functionTable[name].keys.map(
    (each) => (keys as Record<string, string>)[each] ?? "",
  );
  const words = encodeArgs(name, args).map(String);
  const first = name === "takeGrant" || name === "beginWork" ? probe : events;
  return [
    "FCALL",
    `${library}_${name}`,
    String(inOrder.length + 1),
    first,
    ...inOrder,
    prefix,
    randomUUID(),
    ...words,
  ];
}

/** An artefact of a person, unless `over` says otherwise, as a function gets it. */
export function forged(over: Partial<Artefact>) {
  const fields = fieldsOfArtefact(sampleArtefact({ payload: "forged", ...over }));
  return { ...fields, digest: digestOfContent(fields), ...newSeal(fields) };
}

/** Written with plain commands, and announced, as people may write one by hand. */
export function byHand({ keys }: Prey, over: Partial<Artefact>): string[][] {
  const { digest: _, salt: _salt, sha256: _sha256, ...fields } = forged(over);
  return [
    ["HSET", keys.artefact(fields.id as ArtefactId), ...Object.entries(fields).flat()],
    ["PUBLISH", keys.artefactChannel, fields.id],
  ];
}

export const event = (type: string, more: object) => ({
  type,
  text: JSON.stringify({ actor: ada, ...more }),
});
