// Says how many people have approved something, and who: `1 of 2 approvals: Anna`.
import type { Approvals } from "../model/quorum.ts";
import { actorName } from "./actor-name.ts";

export function approvalsText({ needed, by }: Approvals): string {
  const names = by.map((name) => actorName(`person:${name}`)).join(", ");
  return `${by.length} of ${needed} approval${needed === 1 ? "" : "s"}${names === "" ? "" : `: ${names}`}`;
}
