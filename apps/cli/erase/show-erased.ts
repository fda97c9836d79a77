// Says what was erased, what else may quote it, and what was not reached.
import { typeText } from "../../../lib/client/text/type-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { Shell } from "../terminal/shell.ts";
import type { Erased, EraseOrder } from "./erase.ts";
import type { Subject } from "./subject.ts";

const maxNamed = 5;

/** Throws `not-ready` where something is left that the same command can reach later. */
export async function showErased(
  result: Erased,
  order: EraseOrder,
  isJson: boolean,
  shell: Shell,
): Promise<void> {
  const { subject, erased, kept, commits, staying, isRewritten, unfinished } = result;
  const notReached = notReachedBy(result, order);
  if (isJson) {
    const { goal, heads, quotes, made, forks } = subject;
    await shell.out.write(
      `${JSON.stringify({
        ...{ goal, artefacts: heads.map(({ id }) => id), erased, dry_run: order.isDry },
        ...{ bodies: kept.bodies.length, outputs: kept.outputs.length, commits, staying },
        ...{ is_rewritten: isRewritten, unfinished, not_reached: notReached },
        quotes: quotes.map(({ claim, agent, results }) => ({ claim, agent, results })),
        ...{ made: made.map(({ id }) => id), forks },
      })}\n`,
    );
  } else {
    showContent(result, order, shell);
    showQuotes(subject, order, shell);
    for (const sentence of notReached) shell.messages.note(`Not reached: ${sentence}`);
  }
  if (unfinished.length > 0)
    throw new SettError("not-ready", `Not all of it is gone. ${unfinished.join(" ")}`, {
      hint: "The record has no content of it any more. Run the same command again for the rest.",
    });
}

function showContent(
  { subject, erased, kept, commits, isRewritten }: Erased,
  { isDry }: EraseOrder,
  { messages }: Shell,
): void {
  const { heads } = subject;
  const [only] = heads;
  const named =
    heads.length === 1 && only !== undefined
      ? `${typeText(only.type)} version ${only.version} (${shortId(only.id)})`
      : `${heads.length} artefacts of goal ${shortId(subject.goal)}`;
  const also = [
    ...counted(kept.bodies.length, "body of a call of a model", "bodies of calls of models"),
    ...counted(kept.outputs.length, "output of a command", "outputs of commands"),
    ...counted(commits, "commit", "commits"),
  ].join(", ");
  const with_ = also === "" ? "" : `, with ${also}`;
  if (isDry) return messages.note(`Would erase the content of ${named}${with_}.`);
  const before = heads.length - erased;
  const again = before === 0 ? "" : ` (${before} of them before)`;
  messages.done(`Erased the content of ${named}${again}${with_}. The log says by whom and why.`);
  if (isRewritten) messages.note("Redis has written its file anew, without it.");
}

function showQuotes(
  { quotes, made, forks }: Subject,
  { withQuotes }: EraseOrder,
  { messages, suggest }: Shell,
): void {
  const others = [...new Set(quotes.map(({ agent }) => agent))];
  if (others.length > 0 && !withQuotes)
    messages.warn(
      `It was given to ${some(others)}: their transcripts and outputs may quote it. --with-quotes erases these, too.`,
    );
  if (made.length > 0)
    messages.warn(
      `Made from it, and may quote it: ${some(made.map(({ id, type }) => `${typeText(type)} (${shortId(id)})`))}. Look at each: ${suggest("unearth ID")}`,
    );
  if (forks.length > 0)
    messages.warn(`These goals were begun from it: ${some(forks.map((id) => shortId(id)))}.`);
}

function notReachedBy({ staying, isRewritten }: Erased, { isDry }: EraseOrder): string[] {
  return [
    ...staying.map(
      ({ commit, by }) => `commit ${commit.slice(0, 12)} in git, which is in ${some(by)}.`,
    ),
    ...(isRewritten || isDry ? [] : ["the files of Redis, which others run."]),
    "events of the log: they name people, and reasons of failures may quote it.",
    "back-ups, clones, exported bundles, other files of `sett prune`, contents of LFS, and what agents and their services have copied.",
  ];
}

function some(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `${names.slice(0, maxNamed).join(", ")}${more}`;
}

function counted(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
