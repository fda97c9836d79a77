// The order in which calls of language models are read.
import type { OpenCall } from "../../model/model-call.ts";

/** Oldest first. */
export function byStart(one: OpenCall, other: OpenCall): number {
  if (one.started_at !== other.started_at) return one.started_at < other.started_at ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
