// Tools about artefacts: list those of a goal, read one, post one.

import { z } from "zod";
import { checkedText, textKinds } from "../../client/actions/checked-text.ts";
import { briefJson, readBrief } from "../../client/facts/brief.ts";
import { type Checked, readChecked, readCheckedArtefact } from "../../client/facts/checked.ts";
import { artefactList, backwards } from "../../client/facts/pages.ts";
import { notFound, resolveArtefactId, resolveGoalId } from "../../client/facts/resolve-id.ts";
import { requireResultCommit } from "../../client/facts/result-commit.ts";
import { sinceNames } from "../../client/facts/work.ts";
import { changedFiles } from "../../client/text/changed-files.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { headJson, whose } from "../goal-report.ts";
import { type Call, defineTool, reads, writes } from "./tool.ts";

const maxListed = 200;
/** A model can take so much at once; a payload may have 16 MiB. */
const maxCharacters = 100_000;

export const listArtefacts = defineTool({
  name: "list_artefacts",
  title: "List artefacts",
  description:
    "What agents and people have posted, newest first, without content: of one goal, of certain types, or all.",
  right: "read",
  annotations: reads,
  args: {
    goal: z
      .string()
      .optional()
      .describe("Only of this goal; six or more characters of its id are enough."),
    types: z.array(z.string()).optional().describe("Only of these types, such as CodeCommit."),
    limit: z.number().int().min(1).max(maxListed).default(50),
  },
  async run({ goal, types, limit }, { asker: { board, suggest } }) {
    const of = goal === undefined ? undefined : await resolveGoalId(board, goal, suggest);
    const found: Checked<ArtefactHead>[] = [];
    const damaged: string[] = [];
    for await (const { page } of backwards(artefactList(board, of))) {
      const { heads, unreadable } = await readChecked(board, page);
      found.push(
        ...heads.filter(({ type }) => types === undefined || types.includes(type)).toReversed(),
      );
      damaged.push(...unreadable);
      if (found.length >= limit) break;
    }
    return {
      artefacts: found.slice(0, limit).map(headJson),
      ...(damaged.length > 0 && { damaged_by_hand: damaged }),
    };
  },
});

const pieceArguments = {
  id: z.string().describe("The artefact's id; six or more of its first characters are enough."),
  offset: z.number().int().min(0).default(0),
  max_characters: z.number().int().min(1).max(maxCharacters).default(20_000),
};

export const readArtefact = defineTool({
  name: "read_artefact",
  title: "Read an artefact",
  description: `One artefact with its content, from \`offset\` on, at most ${maxCharacters} characters at once. ${whose}`,
  right: "read",
  annotations: reads,
  args: {
    ...pieceArguments,
    brief: z
      .boolean()
      .default(false)
      .describe("With what a person should know who judges it, as read_changes has it."),
  },
  async run({ id, brief, ...piece }, call) {
    const artefact = await artefactOf(id, call);
    const { text, ...place } = pieceOf(artefact.payload, piece);
    return {
      ...headJson(artefact),
      ...(brief && (await briefFor(artefact, call))),
      source_artefacts: artefact.source_artefacts,
      content: text,
      ...place,
      note: whose,
    };
  },
});

export const readChanges = defineTool({
  name: "read_changes",
  title: "Read what a commit changes",
  description: `What the commit of a result changes since the commit of its goal, as a unified diff, in pieces like those of read_artefact; the first piece begins with the list of all its files, and with what a person should know who judges it: \`brief\` has the text of the goal, what others say of it, what was checked, what your person has said of earlier versions, and the cost. Lines that begin with "!" before the first file are warnings. ${whose}`,
  right: "read",
  annotations: reads,
  args: {
    ...pieceArguments,
    since: z
      .enum(sinceNames)
      .default("goal")
      .describe(
        "`goal`: all that it changes, which is what a merge brings. Only a part: `version`, since the version before; `verdict`, since the version that your person has judged last; `start`, since the result that it is based on.",
      ),
  },
  async run({ id, since, ...piece }, call) {
    const artefact = await artefactOf(id, call);
    requireResultCommit(artefact);
    const changes = await call.changes(artefact, since);
    const { files, more } = changedFiles(changes);
    const { text, ...place } = pieceOf(changes, piece);
    const list = piece.offset === 0 ? { files, more_files: more } : {};
    const beside = piece.offset === 0 ? await briefFor(artefact, call) : {};
    return {
      ...headJson(artefact),
      since,
      ...beside,
      ...list,
      changes: text,
      ...place,
      note: whose,
    };
  },
});

export const postArtefactTool = defineTool({
  name: "post_artefact",
  title: "Post an artefact",
  description:
    "Posts a text or a commit of your person in a goal that is there, on record as posted by you: something new, or with version_of the next version of another artefact, whose work then ends. Agents bid on it. Goals are posted by post_goal.",
  right: "post",
  annotations: writes,
  args: {
    type: z.string().min(1).describe("A word for which agents bid, such as Note or CodeCommit."),
    text: z.string().optional().describe("Its content; without it, a commit."),
    commit: CommitHash.optional().describe("The whole hash of a commit, in place of a text."),
    from: z
      .array(z.string())
      .default([])
      .describe("Ids of the artefacts that it comes from, all of one goal."),
    version_of: z.string().optional().describe("The artefact whose next version it is."),
  },
  async run({ type, text, commit, from, version_of: versionOf }, call) {
    const { actor, marks } = call;
    if ((text === undefined) === (commit === undefined))
      throw new SettError("usage", "An artefact has either `text` or `commit`.");
    const content =
      commit === undefined ? { text: checkedText(text ?? "", textKinds.content) } : { commit };
    const posted = await call.postArtefact({ type, content, from, versionOf, actor, marks });
    call.about(posted.goal_id);
    return { artefact: headJson(posted) };
  },
});

async function briefFor(artefact: Artefact, { asker: { board }, person }: Call) {
  return { brief: briefJson(await readBrief(board, artefact, person)) };
}

async function artefactOf(
  id: string,
  { asker: { board, suggest } }: Call,
): Promise<Checked<Artefact>> {
  const artefact = await readCheckedArtefact(board, await resolveArtefactId(board, id, suggest));
  if (artefact === undefined) throw notFound(id, "artefact", suggest);
  return artefact;
}

function pieceOf(
  text: string,
  { offset, max_characters }: { offset: number; max_characters: number },
) {
  const end = offset + max_characters;
  return {
    text: text.slice(offset, end),
    next_offset: end < text.length ? end : null,
    characters: text.length,
  };
}
