// Entries that no program of ours writes, as a slip of a person's hand or another version would
// leave them in the two streams.
import type { Random } from "./random.ts";

export type Stream = "events" | "claims";

type Entry = readonly [string, ...string[]];

/** Marks the entries of this file, for the checker of what the programs have written. */
export const plantedField = "planted";

const unknownId = "00000000-0000-4000-8000-000000000000";

const entries: Record<Stream, readonly [Entry, ...Entry[]]> = {
  events: [
    ["what", "ever"],
    ["type", "artefact_created", "event", "{ this is no JSON"],
    ["type", "artefact_created", "event", "null"],
    ["type", "bid_placed", "event", "[]"],
    ["type", "shrugged", "event", '{"actor":"hand"}'],
    [
      "type",
      "shrugged",
      "event",
      `{"actor":"hand","goal_id":"${unknownId}","data":{"by":"a later version"}}`,
    ],
    ["type", "artefact_created", "event", '{"actor":"hand"}'],
    ["type", "grant_done", "event", `{"actor":"hand","claim_id":"${unknownId}","agent":"tester"}`],
    ["type", "claim_opened", "event", '{"actor":"hand","claim_id":"no id at all"}'],
  ],
  claims: [
    ["what", "ever"],
    ["claim", ""],
    ["claim", unknownId],
    ["claim", unknownId, "about", "{ this is no JSON"],
    ["claim", unknownId, "about", "null"],
    ["claim", "no id at all", "about", "[]"],
  ],
};

/** The fields of one. */
export function garbageFor(stream: Stream, random: Random): string[] {
  const [first, ...rest] = entries[stream];
  return [...random.pick([first, ...rest]), plantedField, "chaos"];
}
