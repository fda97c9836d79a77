// Posts what a person has made, in a goal that is there: a text or a commit, as something new or
// as the next version of another artefact.

import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { newThread, nextVersion, type Origin } from "../../core/new-artefact.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import { type Artefact, codeCommitType, goalType, userRole } from "../../model/artefact.ts";
import { recordable } from "../../model/changed-paths.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { ArtefactId, type CommitHash, type GoalId } from "../../model/ids.ts";
import { problemOfPosted } from "../../model/own-types.ts";
import { shortId } from "../../words/short-id.ts";
import { readSound } from "../facts/checked.ts";
import { notFound, resolveArtefactId, wrongKind } from "../facts/resolve-id.ts";
import { firstLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import type { Marks } from "./marks.ts";
import { refusal } from "./request.ts";
import { storePosted } from "./store-posted.ts";

/** A text, which was checked before, or a commit of the repository is posted. */
export type PostedContent = { text: string } | { commit: CommitHash };

/**
 * `base`: what the commit changes begins there; without it, at the goal's commit.
 * `from`, `versionOf`: ids of artefacts, or their beginnings. `id`: where the caller has chosen it;
 * the same one never makes a second artefact. `repository`: needed for a commit.
 */
export type PostedInput = {
  type: string;
  content: PostedContent;
  from: readonly string[];
  versionOf: string | undefined;
  actor: Actor;
  suggest: Suggest;
  marks?: Marks;
  id?: ArtefactId;
  base?: CommitHash;
};

export type PostingRepository = Pick<
  HostRepository,
  "commit" | "pin" | "unpin" | "subject" | "changedPaths"
>;

/**
 * Throws `usage` for what a person cannot post so, `request-refused` where the goal has ended,
 * `artefact-not-found`, and as `readSound`.
 */
export async function postArtefact(
  board: PersonBlackboard,
  repository: PostingRepository | undefined,
  input: PostedInput,
): Promise<Artefact> {
  const { actor, suggest, id } = input;
  requireType(input);
  const sources = await readSources(board, input);
  const goal = goalOf(sources, suggest);
  const known = id && (await board.readArtefact(id));
  if (known !== undefined) return sameArtefact(known, input);
  if (sources.replaced !== undefined) await requireLatest(board, sources.replaced, input);
  const { ended } = await board.readGoal(goal);
  if (ended !== undefined)
    throw refusal(
      `Goal ${shortId(goal)} was ended (${ended.replace("_", " ")}): nothing can be posted in it any more.`,
      `Post a goal: ${suggest('forage --goal "…"')}`,
    );
  const content = await contentOf(board, input, { repository, goal });
  const origin: Origin = {
    id: id ?? randomUUID(),
    at: new Date().toISOString(),
    role: userRole,
    agent: "",
    goal,
    claim: "",
  };
  const whole = {
    structural_type: "Standard" as const,
    type: input.type,
    payload: content.payload,
    sources: sources.all.map((source) => source.id),
    metadata: { ...content.metadata, by: actor.replace(/^person:/, ""), ...input.marks },
  };
  const artefact =
    sources.replaced === undefined
      ? newThread(origin, whole)
      : nextVersion(sources.replaced, origin, whole);
  const stored = await storePosted(board, repository, artefact, {
    actor,
    name: typeText(artefact.type),
    hintIfUnknown: `When Redis answers again, \`${suggest("hoard")}\` shows whether it is there.`,
  });
  if (stored.outcome !== "refused") return artefact;
  if (content.metadata.commit !== undefined) await repository?.unpin(board.instance, artefact.id);
  // Another version has come between the look and the write, or the goal was cancelled.
  throw refusal(
    stored.reason,
    `See what there is now: ${suggest(`hoard --goal ${shortId(goal)}`)}`,
  );
}

function requireType({ type, content, suggest }: PostedInput): void {
  const commands: Record<string, string> = {
    [goalType]: suggest('forage --goal "…"'),
    Review: `${suggest("approve ID")}, or ${suggest('reject ID --reason "…"')}`,
    Answer: suggest('answer ID "…"'),
  };
  const problem = problemOfPosted(type);
  if (problem !== undefined) {
    const command = commands[type];
    throw new SettError("usage", `A person cannot post ${problem}.`, {
      hint: command === undefined ? "Choose another word for it, such as Report." : command,
    });
  }
  if (type === codeCommitType && !("commit" in content))
    throw new SettError("usage", `A ${codeCommitType} is a commit, and no text.`, {
      hint: "Name the commit: --commit HEAD",
    });
}

/** `all`: each source, and first the one that is replaced. */
type Sources = { all: Artefact[]; replaced: Artefact | undefined };

async function readSources(board: PersonBlackboard, input: PostedInput): Promise<Sources> {
  const { from, versionOf, suggest } = input;
  const read = async (text: string) => {
    const id = await resolveArtefactId(board, text, suggest);
    const found = await readSound(board, id, suggest);
    if (found === undefined) throw notFound(text, "artefact", suggest);
    return found;
  };
  const replaced = versionOf === undefined ? undefined : await read(versionOf);
  const others = await Promise.all(from.map(read));
  return { all: replaced === undefined ? others : [replaced, ...others], replaced };
}

/** The one goal of all sources. */
function goalOf({ all }: Sources, suggest: Suggest): Artefact["goal_id"] {
  const [first] = all;
  if (first === undefined)
    throw new SettError("usage", "Nothing says which goal it belongs to.", {
      hint:
        "Name what it comes from: --from ID. To begin something new, post a goal: " +
        suggest('forage --goal "…"'),
    });
  const other = all.find(({ goal_id }) => goal_id !== first.goal_id);
  if (other === undefined) return first.goal_id;
  throw new SettError(
    "usage",
    `${nameOf(first)} belongs to goal ${shortId(first.goal_id)}, and ${nameOf(other)} to goal ${shortId(other.goal_id)}.`,
    { hint: "Name artefacts of one goal." },
  );
}

/** The repeat of a call, which finds what it has posted. */
function sameArtefact(known: Artefact, { type, content }: PostedInput): Artefact {
  const payload = "text" in content ? content.text : content.commit;
  if (known.type === type && known.payload === payload && known.produced_by_agent === "")
    return known;
  throw new SettError(
    "usage",
    `The id ${known.id} belongs to another artefact, ${nameOf(known)}.`,
    {
      hint: "Choose another id.",
    },
  );
}

/** A version follows the newest one of its thread, keeps its type, and changes its content. */
async function requireLatest(
  board: PersonBlackboard,
  replaced: Artefact,
  { type, content, suggest }: PostedInput,
): Promise<void> {
  if (replaced.structural_type !== "Standard")
    throw wrongKind(replaced, "a result", `\`${suggest("hoard")}\` lists the ids.`);
  if (String(replaced.logical_id) === String(replaced.goal_id))
    throw new SettError("usage", `${shortId(replaced.id)} is a goal.`, {
      hint: `Post another goal: ${suggest('forage --goal "…"')}`,
    });
  const latest = (await board.readThread(replaced.logical_id)).at(-1) ?? replaced.id;
  if (latest !== replaced.id) {
    const [newer] = await board.readHeads([latest]);
    throw new SettError(
      "usage",
      `${nameOf(replaced)} is version ${replaced.version}, and version ${newer?.head.version} has replaced it: ${shortId(latest)}.`,
      {
        hint: `Look at it (${suggest(`unearth ${shortId(latest)}`)}), and name it: --version-of ${shortId(latest)}`,
      },
    );
  }
  if (type !== replaced.type)
    throw new SettError(
      "usage",
      `${shortId(replaced.id)} is ${typeText(replaced.type)}, and each version of it keeps that type.`,
      {
        hint: `Post it as ${typeText(replaced.type)}, or as something new: --from ${shortId(replaced.id)}`,
      },
    );
  const isSame =
    "commit" in content
      ? content.commit === replaced.metadata.commit
      : content.text === replaced.payload;
  if (isSame)
    throw new SettError("usage", `This is what version ${replaced.version} says already.`, {
      hint: "commit" in content ? "Commit your change first." : "Change it first.",
    });
}

async function contentOf(
  board: PersonBlackboard,
  { content, base }: PostedInput,
  { repository, goal }: { repository: PostingRepository | undefined; goal: GoalId },
): Promise<Pick<Artefact, "payload" | "metadata">> {
  if ("text" in content)
    return { payload: content.text, metadata: { summary: firstLine(content.text) } };
  if (repository === undefined)
    throw new SettError("repository-unusable", "There is no repository that has the commit.", {
      hint: "Go to the repository on which agents work.",
    });
  const commit = await repository.commit(content.commit);
  const [stated] = await board.readHeads([ArtefactId.parse(goal)]);
  const start = base ?? stated?.head.metadata.commit;
  // Where they cannot be listed, agents that bid by paths bid on it.
  const paths = start && (await repository.changedPaths(start, commit).catch(() => undefined));
  const changed = paths && recordable(paths);
  return {
    payload: commit,
    metadata: {
      ...{ summary: firstLine(await repository.subject(commit)), commit },
      ...(changed && { changed_paths: changed }),
    },
  };
}

function nameOf({ id, type }: Pick<Artefact, "id" | "type">): string {
  return `${typeText(type)} ${shortId(id)}`;
}
