// sett hoard: lists the artefacts, or shows one of them.
import { readWhole } from "../../../lib/client/facts/artefacts.ts";
import {
  type Checked,
  overwrittenSentence,
  readChecked,
  readCheckedArtefact,
  remedyOf,
  unreadableSentence,
} from "../../../lib/client/facts/checked.ts";
import { ArtefactCosts, readGoalCosts } from "../../../lib/client/facts/costs.ts";
import {
  artefactList,
  backwards,
  forwards,
  limitArguments,
  limitOf,
  type PagedList,
} from "../../../lib/client/facts/pages.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import {
  notFound,
  resolveArtefactId,
  resolveGoalId,
} from "../../../lib/client/facts/resolve-id.ts";
import { withCost } from "../../../lib/client/render/cost-text.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { printTable } from "../goals/print-artefacts.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { type History, openHistory } from "../instance/open-history.ts";
import { archiveArgument, dataArguments, goalFilter } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { artefactDetails } from "../render/artefact-details.ts";
import type { Shell } from "../terminal/shell.ts";

const defaultLimit = 50;
/** Characters. */
const writtenAtOnce = 256 * 1024;

export const hoard = defineCommand({
  name: "hoard",
  description: "list the artefacts",
  details: [
    `The newest comes last. Without --limit, the table has the newest ${defaultLimit}, and JSON has all artefacts.`,
    "With ID: all fields of that artefact, and the beginning of its content.",
  ].join("\n"),
  args: {
    id: {
      type: "positional",
      required: false,
      description: "an artefact; 6 or more characters of its id are enough",
    },
    goal: { ...goalFilter, alias: "g" },
    type: {
      type: "string",
      alias: "t",
      isList: true,
      valueHint: "TYPES",
      description: "only these types; separate them with commas, or repeat the option",
    },
    archive: archiveArgument,
    ...limitArguments,
    ...dataArguments,
  },
  examples: [
    "sett hoard",
    "sett hoard 9f3a12b4",
    "sett hoard --goal 9f3a12b4 --type CodeCommit",
    "sett hoard --limit 200",
    "sett hoard --json | jq -r '.[].metadata.commit // empty'  # every commit",
  ],
  async run(args, shell) {
    const limit = limitOf(args, args.json ? undefined : defaultLimit);
    await using opened = await openHistory(shell, args);
    if (args.id !== undefined) await expand(opened, args.id, args, shell);
    else await list(opened, { ...args, limit }, shell);
    const { live, workspace } = opened;
    // Afterwards, so that every commit that was shown is in the repository when the command ends.
    if (live !== undefined) await fetchResults(shell, workspace, () => readResults(live), "count");
  },
});

type Filter = {
  goal: string | undefined;
  type: readonly string[];
  limit: number | undefined;
  json: boolean;
  name: string | undefined;
};

async function list(
  { board, live }: History,
  { goal, type: types, limit, json }: Filter,
  shell: Shell,
): Promise<void> {
  const list = artefactList(
    board,
    goal === undefined ? undefined : await resolveGoalId(board, goal, shell.suggest),
  );
  const from = limit === undefined ? 0 : await startOfNewest(board, list, types, limit);
  const kinds = new Set<string>();
  const damaged: Damaged = { overwritten: [], unreadable: [] };
  const heads = headsFrom(board, list, from, types, { kinds, damaged });
  if (json) {
    await printJson(board, heads, shell);
    return warnOf(damaged, shell);
  }
  const costs = new ArtefactCosts(board);
  const costsOf = (await mayHaveCosts({ board, live })) ? costs.of.bind(costs) : undefined;
  if ((await printTable(heads, { nowMs: await board.time(), costsOf }, shell)) > 0) {
    const older = types.length === 0 ? `… ${from} older artefacts` : "There may be older ones";
    const more = live === undefined ? "--limit N" : shell.suggest("hoard --limit N");
    if (from > 0) shell.messages.note(`${older}: ${more}, or --all`);
  } else if (kinds.size > 0) {
    shell.messages.note(
      `There are no artefacts of type ${types.join(" or ")}. There are: ${[...kinds].sort().join(", ")}.`,
    );
  } else {
    shell.messages.note("There are no artefacts.");
    if (goal === undefined && live !== undefined)
      shell.messages.next(`Post a goal: ${shell.suggest('forage --goal "…"')}`);
  }
  warnOf(damaged, shell);
}

/** Without a gateway nothing has cost anything; an archive has the calls themselves. */
async function mayHaveCosts({ board, live }: Pick<History, "board" | "live">): Promise<boolean> {
  if (live !== undefined) return (await live.readGateway()) !== undefined;
  for (const goal of await board.listGoals())
    if ((await board.readCalls(goal)).ended.length > 0) return true;
  return false;
}

/** Says which artefacts were changed by hand, and which of them cannot be shown. */
type Damaged = { overwritten: ArtefactId[]; unreadable: ArtefactId[] };

function warnOf(
  { overwritten, unreadable }: Damaged,
  { messages, suggest }: Pick<Shell, "messages" | "suggest">,
): void {
  if (overwritten.length > 0) messages.warn(overwrittenSentence(overwritten));
  if (unreadable.length > 0) messages.warn(unreadableSentence(unreadable));
  if (overwritten.length + unreadable.length > 0) messages.next(remedyOf(suggest("doctor")));
}

/**
 * The position in the list after which there are `limit` artefacts of these types, or the
 * beginning.
 */
async function startOfNewest(
  board: ReadingBoard,
  list: PagedList<ArtefactId>,
  types: readonly string[],
  limit: number,
): Promise<number> {
  if (types.length === 0) return Math.max(0, (await list.count()) - limit);
  let missing = limit;
  for await (const { from, page } of backwards(list)) {
    const { heads } = await readChecked(board, page);
    const wanted = new Set(heads.filter(({ type }) => types.includes(type)).map(({ id }) => id));
    for (let at = page.length - 1; at >= 0; at -= 1) {
      const id = page[at];
      if (id !== undefined && wanted.has(id)) missing -= 1;
      if (missing === 0) return from + at;
    }
  }
  return 0;
}

/**
 * Oldest first, a page at a time. Adds every type that it reads to `kinds`, and what was
 * overwritten to `damaged`.
 */
async function* headsFrom(
  board: ReadingBoard,
  list: PagedList<ArtefactId>,
  from: number,
  types: readonly string[],
  { kinds, damaged }: { kinds: Set<string>; damaged: Damaged },
): AsyncGenerator<Checked<ArtefactHead>[]> {
  for await (const page of forwards(list, from)) {
    const { heads, unreadable } = await readChecked(board, page);
    for (const { type } of heads) kinds.add(oneLine(type));
    const wanted = heads.filter(({ type }) => types.length === 0 || types.includes(type));
    damaged.overwritten.push(...wanted.flatMap(({ id, overwritten }) => (overwritten ? [id] : [])));
    damaged.unreadable.push(...unreadable);
    yield wanted;
  }
}

/** Shows the beginning of the content, and of an archive all of it. */
async function expand(
  { board, live }: History,
  text: string,
  { json: isJson }: { json: boolean },
  { out, ...shell }: Shell,
): Promise<void> {
  const { suggest } = shell;
  const artefact = await readCheckedArtefact(board, await resolveArtefactId(board, text, suggest));
  if (artefact === undefined) throw notFound(text, "artefact", suggest);
  if (artefact.overwritten) warnOf({ overwritten: [artefact.id], unreadable: [] }, shell);
  const cost = (await readGoalCosts(board, artefact.goal_id))?.artefacts.get(artefact.id);
  if (isJson) return await out.write(`${JSON.stringify(withCost(artefact, cost))}\n`);
  const payload = live === undefined ? "none" : "excerpt";
  const nowMs = await board.time();
  const options = { out, nowMs, payload, suggest, cost } as const;
  await out.write(artefactDetails(artefact, board.instance, options));
  if (live === undefined && artefact.payload !== "")
    await out.write(`\n${quotedLines(artefact.payload, out).join("\n")}\n`);
}

/**
 * Reads the artefacts again with their payloads, so that only a few are in memory at the same time.
 */
async function printJson(
  board: ReadingBoard,
  pages: AsyncIterable<readonly Checked<ArtefactHead>[]>,
  { out }: Shell,
): Promise<void> {
  let text = "";
  let before = "[\n";
  const costs = new ArtefactCosts(board);
  for await (const heads of pages) {
    const ids = heads.map(({ id }) => id);
    const costOfIds = await costs.of(heads);
    const overwritten = new Set(heads.flatMap((head) => (head.overwritten ? [head.id] : [])));
    for await (const artefact of readWhole(board, ids)) {
      const shown = overwritten.has(artefact.id) ? { ...artefact, overwritten: true } : artefact;
      text += `${before}${JSON.stringify(withCost(shown, costOfIds.get(artefact.id)))}`;
      before = ",\n";
      if (text.length < writtenAtOnce) continue;
      await out.write(text);
      text = "";
    }
  }
  await out.write(`${text}${before === "[\n" ? "[]\n" : "\n]\n"}`);
}
