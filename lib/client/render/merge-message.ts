// The message of a merge: the goal in its person's words, and trailers by which git alone can say
// later where it came from, and who has reviewed and approved it.
import type { GoalResult, ResultCommit } from "../../core/goal-result.ts";
import { emailOf } from "../../git/run/own-config.ts";
import { AgentName, type ArtefactId, type GoalId } from "../../model/ids.ts";
import type { LaneName } from "../../model/lane.ts";
import { shortId } from "../../words/short-id.ts";
import { boundedLine, firstLine, plainLines } from "../text/plain-text.ts";

const maxSubject = 72;
const maxLines = 40;
const maxText = 4_000;

/** `text`: the whole goal. `about`: the artefacts that the commit came from, and its own. */
export function mergeMessage({
  result,
  one,
  text,
  about,
}: {
  result: GoalResult;
  one: ResultCommit;
  text: string;
  about: ReadonlySet<ArtefactId>;
}): string {
  const subject = subjectOf(firstLine(text)) || subjectOf(result.summary) || "Merge a result";
  const [, ...rest] = plainLines(text.trim().slice(0, maxText)).split("\n");
  const body = rest.join("\n").trim().split("\n").slice(0, maxLines).map(inBody).join("\n");
  const made = boundedLine(`Made by ${one.by === "" ? "a person" : one.by}: ${one.summary}`, 200);
  const trailers = [
    `Sett-Goal: ${result.goal}`,
    `Sett-Artefact: ${one.artefact}`,
    ...reviewers(result, about).map((name) => `Reviewed-by: ${name}`),
    ...approvers(result, about).map((name) => `Approved-by: ${name}`),
  ];
  const parts = [subject, body, made, trailers.join("\n")];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** `artefact`: with which the goal has landed, or was taken back. */
export type LandedGoal = {
  goal: GoalId;
  artefact: ArtefactId;
  summary: string;
  isRevert: boolean;
};

/** `landed`: the oldest first. Each goal has a line, and two trailers. */
export function laneMergeMessage(lane: LaneName, landed: readonly LandedGoal[]): string {
  const [only] = landed.length === 1 ? landed : [];
  const count = new Set(landed.map(({ goal }) => goal)).size;
  const merge = `Merge ${count === 1 ? "1 goal" : `${count} goals`} of the lane ${lane}`;
  const subject = only === undefined ? merge : subjectOf(wordsOf(only)) || `Merge the lane ${lane}`;
  const lines = landed.map((one) => `- ${boundedLine(wordsOf(one), 100)} (${shortId(one.goal)})`);
  const trailers = landed.flatMap(({ goal, artefact }) => [
    `Sett-Goal: ${goal}`,
    `Sett-Artefact: ${artefact}`,
  ]);
  const body = only === undefined ? [lines.join("\n")] : [];
  return `${[subject, ...body, [`Sett-Lane: ${lane}`, ...trailers].join("\n")].join("\n\n")}\n`;
}

function wordsOf({ summary, isRevert }: LandedGoal): string {
  return isRevert ? `Revert “${boundedLine(summary, maxSubject - 9)}”` : summary;
}

/** A heading's marks would make it a comment. One that looks like a trailer is quoted. */
function subjectOf(text: string): string {
  const line = boundedLine(text.replace(commentMarks, ""), maxSubject);
  return isTrailer.test(line) ? `“${boundedLine(line, maxSubject - 2)}”` : line;
}

const isTrailer = /^(?:Sett-[\w-]+|[\w-]+-by)\s*:/i;
/** Any of these may be the sign of a comment, by core.commentChar. */
const commentMarks = /^[#;@!$%^&|:\s]+/;

/**
 * No line of what others have written is a trailer of its own, ends the message for git's readers
 * of trailers, or is taken for a comment, or for the scissors that cut off all below them.
 */
function inBody(line: string): string {
  return /^(?:[\w-]+\s*:|---|[#;@!$%^&|:]|\(cherry picked)/.test(line) ? `    ${line}` : line;
}

function reviewers({ checks }: GoalResult, about: ReadonlySet<ArtefactId>): string[] {
  const names = checks.flatMap(({ phase, outcome, agent, about: of }) =>
    phase === "review" && outcome === "passed" && about.has(of) ? [agent] : [],
  );
  return [...new Set(names)].map((name) => {
    const agent = AgentName.safeParse(name).data;
    return agent === undefined ? boundedLine(name, 100) : `${agent} <${emailOf(agent)}>`;
  });
}

function approvers({ approvals }: GoalResult, about: ReadonlySet<ArtefactId>): string[] {
  const names = approvals.flatMap(({ by, about: of }) =>
    about.has(of) ? [boundedLine(by, 200)] : [],
  );
  return [...new Set(names)];
}
