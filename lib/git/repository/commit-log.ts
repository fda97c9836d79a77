// The commits of a piece of work, each with the names that its author and its committer have given
// themselves.
import type { AgentName } from "../../model/ids.ts";
import type { RecordedCommit } from "../exchange/port.ts";
import { emailOf } from "../run/own-config.ts";
import type { PlainView } from "../run/plain-view.ts";

type Identity = { name: string; email: string };
type NamedCommit = {
  hash: string;
  parents: readonly string[];
  author: Identity;
  committer: Identity;
};
type LoggedCommit = NamedCommit & { date: string; message: string };

/**
 * `text` looks like that of `git log`. `foreign`: how many of the commits do not have the name of
 * their agent, also of those that are not in the text.
 */
export type CommitLog = { text: string; foreign: number };

/** The names of older commits are not compared. */
export const maxCompared = 20_000;

const fieldsOfNames = ["%H", "%P", "%an", "%ae", "%cn", "%ce"];
const fields = [...fieldsOfNames, "%ad", "%B"];

/**
 * The newest `max` of the commits that `range` names. `recorded`: the oldest first. The agent of a
 * commit is the first one that has put it on record, or one that is based on it.
 */
export async function commitLog(
  view: PlainView,
  range: readonly string[],
  max: number,
  recorded: readonly RecordedCommit[],
): Promise<CommitLog> {
  const read = async (count: number, of: readonly string[]) => {
    const form = ["-z", "--no-color", "--no-notes", "--encoding=UTF-8"];
    const printed = await view.run({
      args: [
        ...["log", "--topo-order", `--max-count=${count}`, ...form],
        ...[`--format=${of.join("%x00")}`, ...range, "--"],
      ],
    });
    return commitsIn(printed, of.length);
  };
  const [shown, all] = [await read(max, fields), await read(maxCompared, fieldsOfNames)];
  const agents = agentsOf(all, recorded);
  const isForeign = (commit: NamedCommit) => {
    const agent = agents.get(commit.hash);
    return (
      agent !== undefined && !(isAgent(commit.author, agent) && isAgent(commit.committer, agent))
    );
  };
  return {
    text: shown.map((commit) => textOf(commit, agents.get(commit.hash))).join("\n"),
    foreign: all.filter(isForeign).length,
  };
}

/** `size`: how many fields each has. Those that were not printed are empty. */
function commitsIn(printed: string, size: number): LoggedCommit[] {
  const words = printed.split("\0");
  const commits: LoggedCommit[] = [];
  for (let at = 0; at + size <= words.length; at += size) {
    const [hash = "", parents = "", an = "", ae = "", cn = "", ce = "", date = "", message = ""] =
      words.slice(at, at + size);
    const [author, committer] = [
      { name: an, email: ae },
      { name: cn, email: ce },
    ];
    commits.push({
      hash,
      parents: parents.split(" ").filter((one) => one !== ""),
      author,
      committer,
      date,
      message,
    });
  }
  return commits;
}

/** `commits`: each before its parents. */
function agentsOf(
  commits: readonly NamedCommit[],
  recorded: readonly RecordedCommit[],
): Map<string, AgentName> {
  const order = new Map<string, number>();
  for (const [at, { commit }] of recorded.entries()) if (!order.has(commit)) order.set(commit, at);
  const firstOf = new Map<string, number>();
  const note = (hash: string, at: number) =>
    firstOf.set(hash, Math.min(at, firstOf.get(hash) ?? at));
  const agents = new Map<string, AgentName>();
  for (const { hash, parents } of commits) {
    const own = order.get(hash);
    if (own !== undefined) note(hash, own);
    const first = firstOf.get(hash);
    if (first === undefined) continue;
    for (const parent of parents) note(parent, first);
    const agent = recorded[first]?.agent ?? "";
    if (agent !== "") agents.set(hash, agent);
  }
  return agents;
}

function isAgent({ name, email }: Identity, agent: AgentName): boolean {
  return name === agent && email === emailOf(agent);
}

/** A commit says as much of itself as it likes; `git log` has all of it. */
const maxMessage = 4_000;
const maxName = 200;

function textOf(
  { hash, parents, author, committer, date, message }: LoggedCommit,
  agent: AgentName | undefined,
): string {
  const said = (one: Identity) => {
    const isOther = agent !== undefined && !isAgent(one, agent);
    return `${bounded(one.name, maxName)} <${bounded(one.email, maxName)}>${isOther ? ` (not ${agent}, the agent that published it)` : ""}`;
  };
  const isOne = author.name === committer.name && author.email === committer.email;
  const lines = [
    `commit ${hash}`,
    ...(parents.length > 1
      ? [`Merge: ${parents.map((parent) => parent.slice(0, 12)).join(" ")}`]
      : []),
    `Author: ${said(author)}`,
    ...(isOne ? [] : [`Commit: ${said(committer)}`]),
    `Date:   ${date}`,
    "",
    ...bounded(message.trimEnd(), maxMessage)
      .split("\n")
      .map((line) => `    ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

function bounded(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}
