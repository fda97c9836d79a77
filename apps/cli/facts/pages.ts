// A list of artefacts or goals that may be of any length: looked through in pages, from either end.
import type { Page } from "../../../lib/blackboard/artefact-port.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";

/** Oldest first. */
export type Shelf<Id> = { count(): Promise<number>; list(page: Page): Promise<Id[]> };

const pageSize = 500;

/** All artefacts, or those of one goal. */
export function artefactShelf(board: Blackboard, goal: GoalId | undefined): Shelf<ArtefactId> {
  if (goal === undefined) return { count: () => board.countArtefacts(), list: (page) => board.listArtefacts(page) };
  return {
    count: async () => (await board.readGoal(goal)).artefacts,
    list: (page) => board.listArtefactsOfGoal(goal, page),
  };
}

export function goalShelf(board: Blackboard): Shelf<GoalId> {
  return { count: () => board.countGoals(), list: (page) => board.listGoals(page) };
}

/** From this place on, in the order of the list; what is added meanwhile too. */
export async function* forwards<Id>(shelf: Shelf<Id>, from: number, size = pageSize): AsyncGenerator<Id[]> {
  for (let at = from; ; ) {
    const page = await shelf.list({ from: at, count: size });
    if (page.length === 0) return;
    yield page;
    at += page.length;
  }
}

/** The newest page first, each in the order of the list, with the place of its first. */
export async function* backwards<Id>(shelf: Shelf<Id>, size = pageSize): AsyncGenerator<{ from: number; page: Id[] }> {
  for (let end = await shelf.count(); end > 0; ) {
    const from = Math.max(0, end - size);
    yield { from, page: await shelf.list({ from, count: end - from }) };
    end = from;
  }
}

export const limitArguments = {
  limit: { type: "string", alias: "l", valueHint: "N", description: "only the newest so many" },
  all: { type: "boolean", alias: "a", description: "every one, however old" },
} as const;

/** How many to show; undefined: all. `usual`: where neither was given. Throws `usage`. */
export function limitOf(
  { limit, all }: { limit: string | undefined; all: boolean },
  usual: number | undefined,
): number | undefined {
  if (limit !== undefined && all)
    throw new SettError("usage", "--limit and --all cannot be had together.", { hint: "Leave one of them out." });
  if (limit === undefined) return all ? undefined : usual;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new SettError("usage", `--limit takes a number from 1, not \`${limit}\`.`, { hint: "All there are: --all" });
}
