// An instance, or an archive, as the source of a story.
import type { SettEvent } from "../../model/event.ts";
import type { ArtefactId } from "../../model/ids.ts";
import { eventPages } from "./event-pages.ts";
import { artefactList, forwards } from "./pages.ts";
import type { ReadingBoard } from "./reading-board.ts";
import type { StorySource } from "./story.ts";

/** The log is searched this much before and after the times in the records, then the whole log. */
const skewsMs = [2_000, 10 * 60_000, Number.POSITIVE_INFINITY];

/** `seal`: as a notary of the instance says, where one can be asked. */
export function storyOfBoard(board: ReadingBoard, seal: StorySource["seal"]): StorySource {
  return {
    board,
    eventsAbout: (artefact) => eventsAbout(board, artefact),
    pages: () => forwards(artefactList(board, undefined), 0),
    resultsOf: async (claim) =>
      (await board.readClaims([claim]))
        .flatMap(({ grants }) => grants)
        .flatMap((grant) => ("artefact_ids" in grant ? grant.artefact_ids : [])),
    seal,
  };
}

/** A part of the log is enough where it says how each artefact of the goal came. */
async function eventsAbout(board: ReadingBoard, artefact: ArtefactId): Promise<SettEvent[]> {
  const [subject] = await board.readHeads([artefact]);
  if (subject === undefined) return [];
  const goal = subject.head.goal_id;
  const heads = await board.readHeads(await board.listArtefactsOfGoal(goal));
  const times = heads.map(({ head }) => Date.parse(head.created_at));
  const end = await board.endOfEvents();
  for (const skewMs of skewsMs) {
    const from = Math.max(0, Math.min(...times) - skewMs);
    const until = Math.max(...times) + skewMs;
    const about: SettEvent[] = [];
    for await (const page of eventPages(board, end, `${from}-0`)) {
      about.push(...page.filter(({ goal_id }) => goal_id === goal));
      if (Date.parse(page.at(-1)?.time ?? "") > until) break;
    }
    const made = new Set(
      about.map(({ type, artefact_id }) => type === "artefact_created" && artefact_id),
    );
    if (skewMs === Number.POSITIVE_INFINITY || heads.every(({ head }) => made.has(head.id)))
      return about;
  }
  return [];
}
