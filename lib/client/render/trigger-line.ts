// What a trigger of sett.yml did, as the action of an event's line.
import type { SettEvent } from "../../model/event.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";

export function firedText({ data }: SettEvent, style: Style): string {
  const missed = Number(data?.missed ?? 0);
  const runs = missed < 1 ? "" : missed === 1 ? ", for a run that was missed" : `, for ${missed} runs that were missed`;
  const wanted = oneLine(String(data?.wanted_commit ?? "")).slice(0, 12);
  const place = wanted === "" ? "" : `; begins at HEAD, because the repository does not have ${wanted}`;
  return `${style.green("fires")}${causeOf(data)}${runs}${place}`;
}

export function skippedText({ data }: SettEvent, because: string): string {
  return `does not fire${causeOf(data)}${because}`;
}

function causeOf(data: SettEvent["data"]): string {
  const cause = oneLine(String(data?.cause ?? ""));
  return cause === "" ? "" : ` (${cause})`;
}
