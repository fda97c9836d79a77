// Says why an artefact is there: a heading, and a row for each part that there is.
import type { Named, Opinion, Story } from "../core/story.ts";
import { formatAmount, nanosPerUsd } from "../model/amounts.ts";
import { actorName } from "./actor-name.ts";
import { fullTime } from "./age.ts";
import { formatCount } from "./count.ts";
import { type ResultRow, signedAs } from "./result-sentence.ts";
import { type Segment, say, typed } from "./segment.ts";
import { shortId } from "./short-id.ts";

const maxNamed = 6;
const digestCharacters = 12;

/** `CodeCommit 9f3a12b4, version 2 by coder, 2026-11-21 09:00:00`. */
export function storyHeading({ artefact }: Story): Segment[] {
  return say`${nameOf(artefact)}, ${own(timeOf(artefact.at))}`;
}

export function storyRows(story: Story): ResultRow[] {
  const { artefact, goal, bids, grant, sealed } = story;
  const rows: ResultRow[] = [
    { name: "", says: artefact.id === goal.id ? [] : quoted(artefact.summary) },
    { name: "commit", says: say`${artefact.commit ?? ""}` },
    { name: "asked", says: say`${who(goal.by)}, ${own(timeOf(goal.at))}${wordsOf(goal.text)}` },
    { name: "because", says: becauseSentence(story.because) },
    {
      name: "bids",
      says: joined(
        bids.map(({ agent, bid }) => say`${agent} ${bid}`),
        ", ",
      ),
    },
    { name: "grant", says: grant === null ? [] : grantSentence(grant) },
    { name: "image", says: say`${grant?.image ?? ""}` },
    { name: "base", says: say`${grant?.base_commit ?? ""}` },
    { name: "inputs", says: someOf(story.inputs.map(nameOf), story.inputs_left_out) },
    { name: "models", says: callsSentence(story.calls) },
    ...story.reviews.map((one) => ({ name: "review", says: opinionSentence(one) })),
    { name: "sealed", says: sealed === null ? [] : sealSentence(sealed) },
  ];
  return rows.filter(({ says }) => says.length > 0);
}

function own(text: string): Segment[] {
  return [{ text }];
}

function sealSentence({ entry, size, origin, root }: NonNullable<Story["sealed"]>): Segment[] {
  return say`entry ${entry} of ${size}, ${origin}, root ${root}`;
}

/** `CodeCommit 9f3a12b4, version 2 by coder`. */
function nameOf({ type, id, version, by }: Named): Segment[] {
  const number = version > 1 ? `, version ${version}` : "";
  return say`${typed("strong", type)} ${own(`${shortId(id)}${number}`)} by ${who(by)}`;
}

function who(actor: string): string {
  return actorName(actor) || "an unknown hand";
}

function timeOf(at: string): string {
  return at === "" ? "at no known time" : fullTime(at);
}

const causes: Readonly<Record<string, string>> = {
  rework: "was sent back",
  clarification: "was asked",
  retry: "was tried again by a person",
  "stand-in": "goes on with another agent",
};

function becauseSentence({ about, cause, rejections, answers }: Story["because"]): Segment[] {
  if (about === null) return [];
  const led = causes[cause.split(":", 1)[0] ?? ""];
  return joined(
    [
      say`${nameOf(about)}${own(led === undefined ? "" : ` ${led}`)}`,
      ...rejections.map(opinionSentence),
      ...answers.map((answer) => say`${nameOf(answer)}${wordsOf(answer.summary)}`),
    ],
    "; ",
  );
}

function grantSentence(grant: NonNullable<Story["grant"]>): Segment[] {
  const { agent, phase, attempt, started_at, ended_at, run_by } = grant;
  const times = [...(started_at === null ? [] : [fullTime(started_at)]), fullTime(ended_at)];
  const at = /^agent:.*@(.+)$/.exec(run_by)?.[1];
  const where = at === undefined ? [] : say`, at ${at}`;
  return say`${agent}, ${phase}, attempt ${attempt}, ${own(times.join(" to "))}${where}`;
}

function callsSentence({ count, usd, unpriced, models, requests }: Story["calls"]): Segment[] {
  if (count === 0) return [];
  const price = formatAmount("nanousd", Math.round(usd * nanosPerUsd));
  const unknown = unpriced === 0 ? "" : `, ${unpriced} at a price that is not known`;
  const digests = requests.map((digest) => say`${digest.slice(0, digestCharacters)}`);
  const prompts = digests.length === 0 ? [] : say`, prompts ${someOf(digests, 0)}`;
  const calls = `${formatCount(count)} ${count === 1 ? "call" : "calls"} of `;
  return say`${own(calls)}${models.join(", ")}${own(`, ${price}${unknown}`)}${prompts}`;
}

function opinionSentence({ by, for: agent, at, approves, words, meaning }: Opinion): Segment[] {
  const name = who(by);
  const whose = agent === "" || name === agent ? [] : say` for ${agent}`;
  const how = `${approves ? "approves" : "rejects"}, ${timeOf(at)}${signedAs({ meaning })}`;
  return say`${name}${whose} ${own(how)}${wordsOf(words)}`;
}

/** No surface lets words end their quotation marks, and so none pass for Sett's own. */
function quoted(words: string): Segment[] {
  return words === "" ? [] : say`“${words}”`;
}

function wordsOf(words: string): Segment[] {
  return words === "" ? [] : say`: ${quoted(words)}`;
}

function someOf(all: readonly Segment[][], leftOut: number): Segment[] {
  const more = Math.max(0, all.length - maxNamed) + leftOut;
  const rest = more > 0 ? [own(`${more} more`)] : [];
  return joined([...all.slice(0, maxNamed), ...rest], "; ");
}

function joined(parts: readonly Segment[][], between: string): Segment[] {
  return parts.flatMap((part, at) => (at === 0 ? part : [...own(between), ...part]));
}
