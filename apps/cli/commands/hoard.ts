// sett hoard: the artefacts as a table, or one of them in full.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { goalFilter, jsonArgument, nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { fetchResults, readResults } from "../fetch-results.ts";
import { openBlackboard } from "../open-blackboard.ts";
import { readHeads, readWhole } from "../read-artefacts.ts";
import { ageOf } from "../render/age.ts";
import { artefactDetails } from "../render/artefact-details.ts";
import { naming } from "../render/naming.ts";
import { oneLine, shorten } from "../render/plain-text.ts";
import { shortId } from "../render/short-id.ts";
import type { Style } from "../render/style.ts";
import { type Cell, table } from "../render/table.ts";
import { notFound, resolveArtefactId, resolveGoalId } from "../resolve-id.ts";
import type { Shell } from "../shell.ts";

/** The table is for people; JSON has it whole. */
const longestSummary = 100;

export const hoard = defineCommand({
  name: "hoard",
  description: "list the artefacts",
  details: "The newest comes last. With an ID: everything about that one artefact, and the beginning of its content.",
  args: {
    id: { type: "positional", required: false, description: "an artefact; 6 or more characters of its id are enough" },
    goal: { ...goalFilter, alias: "g" },
    type: {
      type: "string",
      alias: "t",
      isList: true,
      valueHint: "TYPES",
      description: "only these types, with commas or several times",
    },
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    "sett hoard",
    "sett hoard 9f3a12b4",
    "sett hoard --goal 9f3a12b4 --type CodeCommit",
    "sett hoard --json | jq -r '.[].metadata.commit // empty'  # every commit",
  ],
  async run(args, shell) {
    await using opened = await openBlackboard(shell, args.name);
    const { board, place } = opened;
    const fetching = fetchResults(shell, place.workspace, () => readResults(board));
    if (args.id !== undefined) await expand(board, args.id, args, shell);
    else {
      const goals = args.goal === undefined ? await board.listGoals() : [await resolveGoalId(board, args.goal, args.name)];
      const all = await headsOf(board, goals);
      const heads = all.filter(({ type }) => args.type.length === 0 || args.type.includes(type));
      if (args.json) await printJson(board, heads, shell);
      else if (heads.length > 0) await printTable(board, heads, shell);
      else {
        shell.messages.note(all.length === 0 ? "There are no artefacts." : noneOf(args.type, all));
        if (goals.length === 0) shell.messages.next(`State a goal: sett forage --goal "…"${naming(args.name)}`);
      }
    }
    await fetching;
    return;
  },
});

async function expand(
  board: Blackboard,
  text: string,
  { json: isJson, name }: { json: boolean; name: string | undefined },
  shell: Shell,
): Promise<void> {
  const artefact = await board.readArtefact(await resolveArtefactId(board, text, name));
  if (artefact === undefined) throw notFound(text, "artefact", name);
  if (isJson) await shell.out.write(`${JSON.stringify(artefact)}\n`);
  else
    await shell.out.write(
      artefactDetails(artefact, board.instance, { style: shell.out.style, nowMs: await board.time(), payload: "excerpt", name }),
    );
}

function noneOf(types: readonly string[], all: readonly ArtefactHead[]): string {
  const known = [...new Set(all.map(({ type }) => oneLine(type)))].sort().join(", ");
  return `There are no artefacts of type ${types.join(" or ")}. There are: ${known}.`;
}

/** Oldest first. */
async function headsOf(board: Blackboard, goals: readonly GoalId[]): Promise<ArtefactHead[]> {
  const ids = (await Promise.all(goals.map((goal) => board.listArtefactsOfGoal(goal)))).flat();
  return (await readHeads(board, ids)).sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

/** Reads them a second time, with their payloads, so that no more than a few are in memory at once. */
async function printJson(board: Blackboard, heads: readonly ArtefactHead[], { out }: Shell): Promise<void> {
  const ids = heads.map(({ id }) => id);
  let before = "[\n";
  for await (const artefact of readWhole(board, ids)) {
    await out.write(`${before}${JSON.stringify(artefact)}`);
    before = ",\n";
  }
  await out.write(before === "[\n" ? "[]\n" : "\n]\n");
}

async function printTable(board: Blackboard, heads: readonly ArtefactHead[], shell: Shell): Promise<void> {
  const { style, columns } = shell.out;
  const nowMs = await board.time();
  const rows = heads.map((head) => rowOf(head, style, nowMs));
  const lines = table(["ID", "TYPE", "V", "BY", "GOAL", "AGE", "SUMMARY"], rows, style, columns);
  await shell.out.write(`${lines.join("\n")}\n`);
}

function rowOf(head: ArtefactHead, style: Style, nowMs: number): Cell[] {
  const paintType =
    { Failure: style.red, Terminal: style.green, Question: style.yellow }[String(head.structural_type)] ?? style.cyan;
  return [
    { text: shortId(head.id), paint: style.bold },
    { text: oneLine(head.type), paint: paintType },
    { text: String(head.version) },
    { text: oneLine(head.produced_by_agent === "" ? head.produced_by_role : head.produced_by_agent) },
    { text: shortId(head.goal_id), paint: style.dim },
    { text: ageOf(head.created_at, nowMs) },
    { text: shorten(oneLine(head.metadata.summary ?? ""), longestSummary) },
  ];
}
