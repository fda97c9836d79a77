// Lists of ids, by time or by the beginning of the id, in pages of any size.
import { ArtefactId, type GoalId } from "../../model/ids.ts";
import type { ArtefactBoard, Page } from "../port/artefacts.ts";
import type { Deps } from "./deps.ts";
import { orMalformed, unlessWrongType } from "./wrong-type.ts";

/** How many ids Redis reads at once. */
const idsAtOnce = 2_000;

type Lists = Pick<
  ArtefactBoard,
  | "listArtefacts"
  | "countArtefacts"
  | "findArtefacts"
  | "listGoals"
  | "countGoals"
  | "listArtefactsOfGoal"
>;

export function listsOf({ connection, keys }: Deps): Lists {
  const range = async (key: string, { from, count }: Page = { from: 0, count: 0 }) => {
    const found = await connection.run((client) =>
      client.zRange(key, from, from + count - 1).catch(unlessWrongType(undefined)),
    );
    return orMalformed(key, found);
  };
  const count = (key: string) => connection.run((client) => client.zCard(key));
  return {
    listArtefacts: async (page) =>
      page.count === 0 ? [] : artefactIdsOf(await range(keys.artefacts, page)),
    countArtefacts: () => count(keys.artefacts),
    // Only functions write there, and only artefact ids; a goal has the id of its first artefact.
    listGoals: async (page) =>
      page?.count === 0 ? [] : ((await range(keys.goals, page)) as GoalId[]),
    countGoals: () => count(keys.goals),
    listArtefactsOfGoal: async (goal, page) =>
      page?.count === 0 ? [] : artefactIdsOf(await range(keys.artefactsOfGoal(goal), page)),

    async findArtefacts(start) {
      const found = new Set<string>();
      let cursor = "0";
      do {
        // The start is text, and no pattern.
        const options = { MATCH: `${start.replaceAll(/[*?[\]^\\]/g, "\\$&")}*`, COUNT: idsAtOnce };
        const page = await connection.run((client) =>
          client.hScan(keys.artefactDigests, cursor, options),
        );
        cursor = page.cursor;
        for (const { field } of page.entries) found.add(field);
      } while (cursor !== "0");
      return artefactIdsOf([...found]);
    },
  };
}

export function artefactIdsOf(texts: readonly string[]): ArtefactId[] {
  return texts.flatMap((text) => ArtefactId.safeParse(text).data ?? []);
}
