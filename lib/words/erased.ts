// Says that the content of an artefact was erased on record, as all readers do.
import type { Erasure } from "../model/artefact.ts";
import { actorName } from "./actor-name.ts";

/** `erased on record by Ada Lovelace on 2026-11-30: a request`. */
export function erasedText({ by, at, reason }: Pick<Erasure, "by" | "at" | "reason">): string {
  return `erased on record by ${actorName(by)} on ${at.slice(0, 10)}: ${reason}`;
}
