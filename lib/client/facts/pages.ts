// Reads a list of artefacts or goals of any length in pages, from either end.
import type { Page } from "../../blackboard/port/artefacts.ts";
import { SettError } from "../../model/errors.ts";
import type { ArtefactId, GoalId } from "../../model/ids.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** Oldest first. */
export type PagedList<Id> = { count(): Promise<number>; list(page: Page): Promise<Id[]> };

const pageSize = 500;

/** All artefacts, or those of one goal. */
export function artefactList(board: ReadingBoard, goal: GoalId | undefined): PagedList<ArtefactId> {
  if (goal === undefined)
    return { count: () => board.countArtefacts(), list: (page) => board.listArtefacts(page) };
  return {
    count: async () => (await board.readGoal(goal)).artefacts,
    list: (page) => board.listArtefactsOfGoal(goal, page),
  };
}

export function goalList(board: Pick<ReadingBoard, "countGoals" | "listGoals">): PagedList<GoalId> {
  return { count: () => board.countGoals(), list: (page) => board.listGoals(page) };
}

/** The pages from this place on, in the order of the list, with items that are added meanwhile. */
export async function* forwards<Id>(
  list: PagedList<Id>,
  from: number,
  size = pageSize,
): AsyncGenerator<Id[]> {
  for (let at = from; ; ) {
    const page = await list.list({ from: at, count: size });
    if (page.length === 0) return;
    yield page;
    at += page.length;
  }
}

/** The newest page first; each page in the order of the list, with the place of its first item. */
export async function* backwards<Id>(
  list: PagedList<Id>,
  size = pageSize,
): AsyncGenerator<{ from: number; page: Id[] }> {
  for (let end = await list.count(); end > 0; ) {
    const from = Math.max(0, end - size);
    yield { from, page: await list.list({ from, count: end - from }) };
    end = from;
  }
}

export const limitArguments = {
  limit: { type: "string", alias: "l", valueHint: "N", description: "only the newest N" },
  all: { type: "boolean", alias: "a", description: "all of them, of any age" },
} as const;

/** How many to show; undefined: all. `defaultLimit`: without --limit and --all. Throws `usage`. */
export function limitOf(
  { limit, all }: { limit: string | undefined; all: boolean },
  defaultLimit: number | undefined,
): number | undefined {
  if (limit !== undefined && all)
    throw new SettError("usage", "--limit and --all cannot be used together.", {
      hint: "Leave one of them out.",
    });
  if (limit === undefined) return all ? undefined : defaultLimit;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new SettError("usage", `--limit takes a number from 1, not \`${limit}\`.`, {
    hint: "To see all of them: --all",
  });
}
