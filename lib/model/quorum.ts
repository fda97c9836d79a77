// How many people have to approve what waits for a person, and whose approval does not count.
import { z } from "zod";
import { ArtefactId } from "./ids.ts";

/** Parts that a person may have had in the work that is to be approved. */
export const notByWords = ["poster", "answerer", "hand", "approver_of_input"] as const;
export const NotBy = z.enum(notByWords);
export type NotBy = z.infer<typeof NotBy>;

/** The people who had each part, as the log names them, without `person:`. */
export type Involved = Readonly<Record<NotBy, readonly string[]>>;

/**
 * It is fixed when the people are asked. `needed`: so many different people have to approve.
 * `not_by`: the addresses, or else the names, of people whose approval does not count. `approvals`:
 * what has counted so far.
 */
export const Quorum = z.strictObject({
  needed: z.int().min(1),
  not_by: z.array(z.string()).optional(),
  approvals: z.array(z.strictObject({ review: ArtefactId, by: z.string() })).optional(),
});
export type Quorum = z.infer<typeof Quorum>;

/** The count, for people and programs. `by`: who has approved so far. */
export const Approvals = z.strictObject({
  needed: z.int(),
  by: z.array(z.string()),
  not_by: z.array(z.string()),
});
export type Approvals = z.infer<typeof Approvals>;

export function approvalsOf({ needed, not_by = [], approvals = [] }: Quorum): Approvals {
  return { needed, by: approvals.map(({ by }) => by), not_by };
}

/** Beside what all events of a grant have. */
export function quorumData(quorum: Quorum | undefined): Record<string, string | number> {
  if (quorum === undefined) return {};
  const { needed, not_by = [], approvals = [] } = quorum;
  return {
    approvals: needed,
    ...(approvals.length > 0 && { approved: approvals.length }),
    ...(not_by.length > 0 && { not_by: not_by.join(" ") }),
  };
}
