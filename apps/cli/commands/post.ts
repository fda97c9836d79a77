// sett post: posts what a person has made, in a goal that is there.

import { type Obstacle, readObstacle } from "../../../lib/client/actions/obstacle.ts";
import { type PostedContent, postArtefact } from "../../../lib/client/actions/post-artefact.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { openRepository } from "../instance/open-repository.ts";
import { openSession } from "../instance/session.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { readPostedFile, readPostedText } from "../program/read-text.ts";
import type { Shell } from "../terminal/shell.ts";

export const post = defineCommand({
  name: "post",
  description: "post what you have made: a text, a file or a commit",
  details: [
    "Prints the artefact's id. Agents bid on it as on any other one, and the record has your name.",
    "--from says what it comes from, and so which goal it belongs to. --version-of replaces an artefact by your own",
    "version of it, and ends all work on the one before. It needs the newest version, and the same type.",
    "Goals are posted by `sett forage`, answers by `sett answer`, and Reviews by `sett approve` and `sett reject`.",
  ].join("\n"),
  args: {
    type: {
      type: "positional",
      required: true,
      description: "the artefact's type, for which agents bid",
    },
    payload: {
      type: "string",
      alias: "p",
      valueHint: "TEXT",
      description: "its content; - reads it from stdin",
    },
    file: {
      type: "string",
      alias: "f",
      valueHint: "FILE",
      description: "a file of UTF-8 text with its content; - is stdin",
    },
    commit: {
      type: "string",
      alias: "c",
      valueHint: "COMMIT",
      description: "a commit of this repository: a hash, a branch or a tag",
    },
    from: {
      type: "string",
      isList: true,
      valueHint: "ID",
      description: "an artefact that it comes from; may be repeated",
    },
    "version-of": {
      type: "string",
      valueHint: "ID",
      description: "the artefact whose next version it is",
    },
    ...personArguments,
  },
  examples: [
    'sett post Note --payload "The door is 2 m high" --from 9f3a12b4',
    "sett post Draft --file draft.md --version-of 9f3a12b4",
    "sett post CodeCommit --commit HEAD --version-of 9f3a12b4",
  ],
  // It must not end between the kept commit and the artefact.
  endsItself: true,
  async run(args, shell) {
    const { payload, file, commit } = args;
    requireOne({ payload, file, commit });
    const text = await readText({ payload, file }, shell);
    await using session = await openSession(shell, args.name);
    const { board, place } = session;
    const repository =
      commit === undefined
        ? undefined
        : await openRepository(place, shell, "Go to the repository that has the commit.");
    const content = await contentOf(text, commit, repository);
    const [actor, obstacle] = await Promise.all([
      session.actor(args.as),
      readObstacle(board, shell.suggest),
    ]);
    const posted = await postArtefact(board, repository, {
      type: args.type,
      content,
      from: args.from,
      versionOf: args["version-of"],
      actor,
      suggest: shell.suggest,
    });
    await print(posted, obstacle, { isJson: args.json }, shell);
    return undefined;
  },
});

type ContentOptions = Record<"payload" | "file" | "commit", string | undefined>;

/** Throws `usage` where not exactly one of them says what is posted. */
function requireOne(given: ContentOptions): void {
  const names = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  );
  if (names.length === 1) return;
  const message =
    names.length === 0
      ? "Nothing says what is posted."
      : `${names.join(" and ")} exclude each other.`;
  throw new SettError("usage", message, {
    hint: "Give one of them: --payload TEXT, --file FILE or --commit COMMIT.",
  });
}

async function readText(
  { payload, file }: Pick<ContentOptions, "payload" | "file">,
  shell: Shell,
): Promise<string | undefined> {
  if (payload !== undefined) return await readPostedText(payload, shell);
  return file === undefined ? undefined : await readPostedFile(file, shell);
}

async function contentOf(
  text: string | undefined,
  commit: string | undefined,
  repository: HostRepository | undefined,
): Promise<PostedContent> {
  if (commit === undefined || repository === undefined) return { text: text ?? "" };
  return { commit: await repository.resolve(commit) };
}

async function print(
  posted: Artefact,
  obstacle: Obstacle | undefined,
  { isJson }: { isJson: boolean },
  { out, messages, suggest }: Shell,
): Promise<void> {
  const { payload: _, ...head } = posted;
  await out.write(isJson ? `${JSON.stringify(head)}\n` : `${posted.id}\n`);
  const version = posted.version > 1 ? ` version ${posted.version}` : "";
  const goal = shortId(posted.goal_id);
  const when = obstacle === undefined ? "" : `; work on it begins ${obstacle.until}`;
  messages.done(`Posted ${typeText(posted.type)}${version} in goal ${goal}${when}.`);
  if (obstacle !== undefined) messages.next(obstacle.next);
  messages.next(`Follow the goal: ${suggest(`watch --goal ${goal}`)}`);
}
