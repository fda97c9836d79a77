// sett why: tells why an artefact is there.
import { resolve } from "node:path";
import { overwrittenSentence } from "../../../lib/client/facts/checked.ts";
import { findSubject, readStory, type StorySource } from "../../../lib/client/facts/story.ts";
import { storyOfBoard } from "../../../lib/client/facts/story-of-board.ts";
import type { Story } from "../../../lib/core/story.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { sealOf } from "../audit/export-bundle.ts";
import { isBundle } from "../audit/replay-bundle.ts";
import { storyOfBundle } from "../audit/story-sources.ts";
import { openHistory } from "../instance/open-history.ts";
import { openRepository } from "../instance/open-repository.ts";
import { archiveArgument, dataArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { storyText } from "../render/story-text.ts";
import type { Shell } from "../terminal/shell.ts";

export const why = defineCommand({
  name: "why",
  description: "tell why an artefact is there: who asked, who did it, from what",
  details: [
    "In about ten lines: who asked for it, because of which reviews or answers it was made, the bids, the grant with its",
    "image and base commit, the inputs, the calls of models with the digests of what they were asked, what others say of",
    "it, and where a notary has sealed it. It tells what is on record; `sett audit` shows whether the record is whole.",
    "A commit means the first artefact that has delivered it, or that it has merged; a claim means its result.",
  ].join("\n"),
  args: {
    what: {
      type: "positional",
      required: true,
      valueHint: "ARTEFACT|CLAIM|COMMIT",
      description: "the beginning of an artefact's id or of a commit, or the whole id of a claim",
    },
    archive: {
      ...archiveArgument,
      description: "read this file of `sett prune` or `sett audit export`; no sett has to run",
    },
    ...dataArguments,
  },
  examples: [
    "sett why 9f3a12b4",
    "sett why $(git rev-parse HEAD)",
    "sett why 9f3a12b4 --archive release.tar",
    "sett why 9f3a12b4 --json | jq -r .grant.image",
  ],
  async run({ what, archive, json, name }, shell) {
    const path = archive === undefined ? undefined : resolve(shell.cwd, archive);
    if (path !== undefined && (await isBundle(path))) {
      await using source = await storyOfBundle(path);
      await tell(await storyIn(source, what, shell), json, shell);
      return;
    }
    await using history = await openHistory(shell, { archive, name });
    const { board, live } = history;
    const isSealed = (await live?.readCheckpoint()) !== undefined;
    const seal: StorySource["seal"] = async (goal, event) =>
      isSealed ? await sealOf(shell, { instance: board.instance, goal, event }) : undefined;
    const story = await storyIn(storyOfBoard(board, seal), what, shell);
    await tell(story, json, shell);
    const changed = await board.findOverwritten(idsIn(story));
    if (changed.length > 0) shell.messages.warn(overwrittenSentence(changed));
  },
});

async function storyIn(source: StorySource, what: string, shell: Shell): Promise<Story> {
  const subject = await findSubject(source, what, shell.suggest).catch(async (error: unknown) => {
    const merged = await mergedBy(what, shell);
    if (merged === undefined) throw error;
    return await findSubject(source, merged, shell.suggest);
  });
  return await readStory(source, subject, shell.suggest);
}

/** The artefact that was merged by a commit of the person's own repository. */
async function mergedBy(what: string, shell: Shell): Promise<string | undefined> {
  if (!/^[0-9a-f]{7,64}$/i.test(what)) return undefined;
  const here = { workspace: shell.cwd };
  const repository = await openRepository(here, shell, "").catch(() => undefined);
  return await repository?.artefactSaidBy(what);
}

async function tell(story: Story, json: boolean, { out }: Shell): Promise<void> {
  await out.write(json ? `${JSON.stringify(story)}\n` : storyText(story, out));
}

/** The artefacts that the story is made of. */
function idsIn({ artefact, goal, because, inputs, reviews }: Story): ArtefactId[] {
  const opinions = [...because.rejections, ...reviews].map(({ review }) => review);
  const others = [...inputs, ...because.answers].map(({ id }) => id);
  const all = new Set([artefact.id, goal.id, ...others, ...opinions]);
  return [...all].flatMap((id) => ArtefactId.safeParse(id).data ?? []);
}
