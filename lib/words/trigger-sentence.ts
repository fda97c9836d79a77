// Writes what a trigger of sett.yml did.
import type { SettEvent } from "../model/event.ts";
import { type Segment, say, toned } from "./segment.ts";

export function fired({ data }: SettEvent): Segment[] {
  const missed = Number(data?.missed ?? 0);
  const runs =
    missed < 1
      ? []
      : missed === 1
        ? say`, for a run that was missed`
        : say`, for ${missed} runs that were missed`;
  const wanted = String(data?.wanted_commit ?? "").slice(0, 12);
  const place =
    wanted === "" ? [] : say`; begins at HEAD, because the repository does not have ${wanted}`;
  return say`${toned("good", "fires")}${causeOf(data)}${runs}${place}`;
}

export function skipped({ data }: SettEvent, because: readonly Segment[]): Segment[] {
  return say`does not fire${causeOf(data)}${because}`;
}

function causeOf(data: SettEvent["data"]): Segment[] {
  const cause = String(data?.cause ?? "");
  return cause === "" ? [] : say` (${cause})`;
}
