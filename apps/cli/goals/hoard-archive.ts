// sett hoard --archive: lists the artefacts in a file of `sett prune`, without a blackboard.
import { resolve } from "node:path";
import { withCost } from "../../../lib/client/render/cost-text.ts";
import { firstLine } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Cost } from "../../../lib/core/call-costs.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type ArtefactId, InstanceName } from "../../../lib/model/ids.ts";
import { readArchivedCosts } from "../archive/costs.ts";
import { readArchive } from "../archive/read.ts";
import { requireKnown } from "../instance/known-archive.ts";
import { artefactDetails } from "../render/artefact-details.ts";
import type { Shell } from "../terminal/shell.ts";
import { printTable } from "./print-artefacts.ts";

/** `name`: the instance of `--name`, if any. */
type Wanted = {
  name: string | undefined;
  id: string | undefined;
  goal: string | undefined;
  type: readonly string[];
  limit: number | undefined;
  json: boolean;
};

const rowsAtOnce = 500;

/** Throws `archive-unusable`, also at the end of a damaged archive. */
export async function hoardArchive(file: string, wanted: Wanted, shell: Shell): Promise<void> {
  const path = resolve(shell.cwd, file);
  await requireKnown(path, wanted.name, shell);
  const costs = await readArchivedCosts(path);
  if (wanted.id !== undefined)
    return await printOne(
      path,
      { start: wanted.id.toLowerCase(), isJson: wanted.json, costs },
      shell,
    );
  const { goal = "", type: types, limit } = wanted;
  const isWanted = (artefact: Artefact) =>
    artefact.goal_id.startsWith(goal.toLowerCase()) &&
    (types.length === 0 || types.includes(artefact.type));
  if (wanted.json) return await printJson(lastOf(artefactsIn(path, isWanted), limit), costs, shell);
  let count = 0;
  const counted = async function* () {
    for await (const artefact of artefactsIn(path, isWanted)) {
      count += 1;
      yield headOf(artefact);
    }
  };
  const printed = await printTable(
    pagesOf(lastOf(counted(), limit)),
    { nowMs: Date.now(), costsOf: costs && (async () => costs) },
    shell,
  );
  if (printed === 0) shell.messages.note("The archive has no such artefacts.");
  else if (printed < count)
    shell.messages.note(`… ${count - printed} earlier ones: --limit N, or --all`);
}

type Costs = ReadonlyMap<ArtefactId, Cost> | undefined;

async function printOne(
  path: string,
  { start, isJson, costs }: { start: string; isJson: boolean; costs: Costs },
  shell: Shell,
): Promise<void> {
  let instance = InstanceName.parse("archive");
  const found: Artefact[] = [];
  for await (const line of readArchive(path)) {
    if ("header" in line) instance = InstanceName.safeParse(line.header.instance).data ?? instance;
    // Two are enough to show that the id is ambiguous.
    if ("artefact" in line && line.artefact.id.startsWith(start) && found.length < 2)
      found.push(line.artefact);
  }
  const [artefact, other] = found;
  if (artefact === undefined)
    throw new SettError("artefact-not-found", `There is no artefact ${start} in ${path}.`, {
      hint: `\`sett hoard --archive ${path} --all\` lists the ids.`,
    });
  if (other !== undefined)
    throw new SettError(
      "artefact-ambiguous",
      `${start} is the beginning of several ids, such as ${artefact.id} and ${other.id}.`,
      {
        hint: "Give more characters.",
      },
    );
  const cost = costs?.get(artefact.id);
  if (isJson) return await shell.out.write(`${JSON.stringify(withCost(artefact, cost))}\n`);
  const details = artefactDetails(artefact, instance, {
    out: shell.out,
    nowMs: Date.now(),
    payload: "none",
    suggest: shell.suggest,
    cost,
  });
  const content =
    artefact.payload === "" ? "" : quotedLines(artefact.payload, shell.out).join("\n");
  await shell.out.write(content === "" ? details : `${details}\n${content}\n`);
}

async function printJson(
  artefacts: AsyncIterable<Artefact>,
  costs: Costs,
  { out }: Shell,
): Promise<void> {
  let before = "[\n";
  for await (const artefact of artefacts) {
    await out.write(`${before}${JSON.stringify(withCost(artefact, costs?.get(artefact.id)))}`);
    before = ",\n";
  }
  await out.write(before === "[\n" ? "[]\n" : "\n]\n");
}

async function* artefactsIn(
  path: string,
  isWanted: (artefact: Artefact) => boolean,
): AsyncGenerator<Artefact> {
  for await (const line of readArchive(path))
    if ("artefact" in line && isWanted(line.artefact)) yield line.artefact;
}

/** All items, or only the last `limit`. */
async function* lastOf<Item>(
  items: AsyncIterable<Item>,
  limit: number | undefined,
): AsyncGenerator<Item> {
  if (limit === undefined) return yield* items;
  let last: Item[] = [];
  for await (const item of items) {
    last.push(item);
    if (last.length >= 2 * limit) last = last.slice(-limit);
  }
  yield* last.slice(-limit);
}

async function* pagesOf<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < rowsAtOnce) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function headOf({ payload, ...head }: Artefact): ArtefactHead {
  const { summary = "" } = head.metadata;
  return {
    ...head,
    metadata: { ...head.metadata, summary: summary.trim() === "" ? firstLine(payload) : summary },
  };
}
