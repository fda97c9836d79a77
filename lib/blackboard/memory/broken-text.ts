// A claim that a person has broken by hand, as the twin knows it.
import type { AgentName } from "../../model/ids.ts";

/** What is stored in the place of its electorate. */
export function brokenText(electorate: readonly AgentName[]): string {
  return `{${JSON.stringify(electorate)}`;
}
