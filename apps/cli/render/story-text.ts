// The story of an artefact for a terminal: a heading, and a row for each part that there is.
import type { Named, Opinion, Story } from "../../../lib/client/facts/story.ts";
import { firstLine, oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { formatAmount, nanosPerUsd } from "../../../lib/model/amounts.ts";
import { actorName } from "../../../lib/words/actor-name.ts";
import { fullTime } from "../../../lib/words/age.ts";
import { formatCount } from "../../../lib/words/count.ts";
import { signedAs } from "../../../lib/words/result-sentence.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const maxNamed = 6;
const digestCharacters = 12;

export function storyText(story: Story, { style }: Pick<Layout, "style">): string {
  const { artefact, goal, bids, grant, sealed } = story;
  const rows: [string, string][] = [
    ["", artefact.id === goal.id ? "" : artefact.summary],
    ["commit", artefact.commit ?? ""],
    ["asked", `${who(goal.by)}, ${timeOf(goal.at)}: ${goal.text}`],
    ["because", becauseText(story.because)],
    ["bids", bids.map(({ agent, bid }) => `${agent} ${bid}`).join(", ")],
    ["grant", grant === null ? "" : grantText(grant)],
    ["image", grant?.image ?? ""],
    ["base", grant?.base_commit ?? ""],
    ["inputs", someOf(story.inputs.map(nameOf), story.inputs_left_out)],
    ["models", callsText(story.calls)],
    ...story.reviews.map((one): [string, string] => ["review", opinionText(one)]),
    [
      "sealed",
      sealed === null
        ? ""
        : `entry ${sealed.entry} of ${sealed.size}, ${sealed.origin}, root ${sealed.root}`,
    ],
  ];
  const heading = `${style.bold(nameOf(artefact))}, ${timeOf(artefact.at)}`;
  const shown = rows.filter(([, text]) => text !== "");
  return `${[heading, ...shown.map(([name, text]) => `  ${name.padEnd(8)}${oneLine(text)}`)].join("\n")}\n`;
}

/** `CodeCommit 9f3a12b4, version 2 by coder`. */
function nameOf({ type, id, version, by }: Named): string {
  const number = version > 1 ? `, version ${version}` : "";
  return `${typeText(type)} ${shortId(id)}${number} by ${who(by)}`;
}

function who(actor: string): string {
  return firstLine(actorName(actor)) || "an unknown hand";
}

function timeOf(at: string): string {
  return at === "" ? "at no known time" : fullTime(at);
}

function becauseText({ about, cause, rejections, answers }: Story["because"]): string {
  if (about === null) return "";
  const [kind = ""] = cause.split(":");
  const led = {
    rework: "was sent back",
    clarification: "was asked",
    retry: "was tried again by a person",
    "stand-in": "goes on with another agent",
  }[kind];
  return [
    `${nameOf(about)}${led === undefined ? "" : ` ${led}`}`,
    ...rejections.map(opinionText),
    ...answers.map((answer) => `${nameOf(answer)}: ${answer.summary}`),
  ].join("; ");
}

function grantText(grant: NonNullable<Story["grant"]>): string {
  const { agent, phase, attempt, started_at, ended_at, run_by } = grant;
  const times = [...(started_at === null ? [] : [fullTime(started_at)]), fullTime(ended_at)];
  const at = /^agent:.*@(.+)$/.exec(run_by)?.[1];
  const where = at === undefined ? "" : `, at ${firstLine(at)}`;
  return `${agent}, ${phase}, attempt ${attempt}, ${times.join(" to ")}${where}`;
}

function callsText({ count, usd, unpriced, models, requests }: Story["calls"]): string {
  if (count === 0) return "";
  const price = formatAmount("nanousd", Math.round(usd * nanosPerUsd));
  const unknown = unpriced === 0 ? "" : `, ${unpriced} at a price that is not known`;
  const digests = requests.map((digest) => digest.slice(0, digestCharacters));
  const prompts = digests.length === 0 ? "" : `, prompts ${someOf(digests, 0)}`;
  return `${formatCount(count)} ${count === 1 ? "call" : "calls"} of ${models.join(", ")}, ${price}${unknown}${prompts}`;
}

function opinionText({ by, for: agent, at, approves, words, meaning }: Opinion): string {
  const name = who(by);
  const whose = agent === "" || name === agent ? "" : ` for ${agent}`;
  const said = words === "" ? "" : `: ${words}`;
  return `${name}${whose} ${approves ? "approves" : "rejects"}, ${timeOf(at)}${signedAs({ meaning })}${said}`;
}

function someOf(all: readonly string[], leftOut: number): string {
  const more = Math.max(0, all.length - maxNamed) + leftOut;
  return [...all.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join("; ");
}
