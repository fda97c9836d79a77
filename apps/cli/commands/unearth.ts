// sett unearth: shows one artefact with its whole content.

import { sleep } from "../../../lib/async/sleep.ts";
import { saltIn } from "../../../lib/blackboard/records/artefact-record.ts";
import { readBrief } from "../../../lib/client/facts/brief.ts";
import { summarizeChanges } from "../../../lib/client/facts/changes.ts";
import { overwrittenSentence, readCheckedArtefact } from "../../../lib/client/facts/checked.ts";
import { readGoalCosts } from "../../../lib/client/facts/costs.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { notFound, resolveArtefactId } from "../../../lib/client/facts/resolve-id.ts";
import { transcriptJson } from "../../../lib/client/facts/transcript.ts";
import { withCost } from "../../../lib/client/render/cost-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import { type Artefact, erasureIn } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { streamNames } from "../../../lib/model/kept-output.ts";
import { toolFailureType } from "../../../lib/model/tool-contract.ts";
import { erasedText } from "../../../lib/words/erased.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type History, openHistory } from "../instance/open-history.ts";
import { readOutput } from "../instance/read-outputs.ts";
import { readTranscript } from "../instance/read-transcript.ts";
import { archiveArgument, dataArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { artefactDetails } from "../render/artefact-details.ts";
import { briefText } from "../render/brief-text.ts";
import { changesText } from "../render/changes-text.ts";
import { failureText, type ReadStream, streamsJson, streamsText } from "../render/failure-text.ts";
import { symbolsFor } from "../render/symbols.ts";
import { transcriptText } from "../render/transcript-text.ts";
import type { Shell } from "../terminal/shell.ts";

const apart = [
  ["payload", "json"],
  ["payload", "transcript"],
  ["payload", "streams"],
  ["streams", "transcript"],
  ["record", "json"],
  ["record", "payload"],
  ["record", "streams"],
  ["record", "transcript"],
] as const;

export const unearth = defineCommand({
  name: "unearth",
  description: "show an artefact with its whole content",
  details: [
    "For an artefact with a commit, it also fetches the commit into this repository, and shows all that it changes since the",
    "commit of the goal, and then only what has changed since your last verdict, and since the version before. A line with",
    "! is a warning. Then comes what a person should know who judges it: the goal, what others say of it, checks, your",
    "own words about earlier versions, and the cost. --transcript shows what its agent and the model have said: the gateway has kept it, so it must",
    "run. Of a goal it shows all calls of the goal, also those about bids and of work that has failed, was cancelled or",
    "lost. With --json: every call, with the bodies of request and answer.",
    "--streams shows what the command has printed beside its answer, which the recorder keeps: stderr, and where it",
    "failed stdout. With --json: the bytes as they were.",
    "--record prints the bytes whose SHA-256 the log names: `sett unearth ID --record | sha256sum` gives the digest that",
    "`sett watch -o jsonl` shows in artefact_created.",
    "Control characters are left out of what an agent has written, except with --payload and --record.",
  ].join("\n"),
  args: {
    id: {
      type: "positional",
      required: true,
      description: "an artefact; 6 or more characters of its id are enough",
    },
    archive: archiveArgument,
    transcript: {
      type: "boolean",
      alias: "t",
      description: "show the conversation with the model that led to it",
    },
    streams: {
      type: "boolean",
      alias: "s",
      description: "show what its command has printed beside it",
    },
    payload: { type: "boolean", alias: "p", description: "print only the content, byte for byte" },
    record: {
      type: "boolean",
      alias: "r",
      description: "print only the bytes that its event names by SHA-256",
    },
    ...dataArguments,
  },
  examples: [
    "sett unearth 9f3a12b4",
    "sett unearth 9f3a12b4 --payload > report.md",
    "sett unearth 9f3a12b4 --record | sha256sum",
    "sett unearth 9f3a12b4 --transcript",
    "sett unearth 9f3a12b4 --streams",
    "sett unearth 9f3a12b4 --streams --json | jq -r .stderr.text",
    "git merge $(sett unearth 9f3a12b4 --json | jq -r .metadata.commit)",
  ],
  async run(args, shell) {
    for (const [one, other] of apart)
      if (args[one] && args[other])
        throw new SettError("usage", `--${one} and --${other} cannot be used together.`, {
          hint: "Leave one of them out.",
        });
    await using opened = await openHistory(shell, args);
    const { board } = opened;
    const artefact = await readCheckedArtefact(
      board,
      await resolveArtefactId(board, args.id, shell.suggest),
    );
    if (artefact === undefined) throw notFound(args.id, "artefact", shell.suggest);
    const erased = erasureIn(artefact.metadata);
    if (erased !== undefined)
      shell.messages.warn(`Artefact ${shortId(artefact.id)} was ${erasedText(erased)}.`);
    if (artefact.overwritten) shell.messages.warn(overwrittenSentence([artefact.id]));
    if (args.record) {
      await showRecord(board, artefact, shell);
      return;
    }
    if (args.transcript) {
      await showTranscript(board, artefact, args.json, shell);
      return;
    }
    if (args.streams) {
      await showStreams(board, artefact, args.json, shell);
      return;
    }
    if (hasResult(artefact)) await opened.fetch(artefact.id);
    const cost = args.payload
      ? undefined
      : (await readGoalCosts(board, artefact.goal_id))?.artefacts.get(artefact.id);
    if (args.payload) await shell.out.write(artefact.payload);
    else if (args.json) await shell.out.write(`${JSON.stringify(withCost(artefact, cost))}\n`);
    else {
      await shell.out.write(
        artefactDetails(artefact, board.instance, {
          out: shell.out,
          nowMs: await board.time(),
          payload: "none",
          suggest: shell.suggest,
          cost,
        }),
      );
      const content = await contentOf(board, artefact, shell);
      if (content !== "") await shell.out.write(`\n${content}\n`);
      if (hasResult(artefact)) await showCommit(opened, artefact, shell);
      if (isJudged(artefact)) await showBrief(opened, artefact, shell);
    }
    return;
  },
});

async function showRecord(
  board: ReadingBoard,
  { id, metadata }: Artefact,
  shell: Shell,
): Promise<void> {
  const record = await board.readRecord(id);
  const erased = erasureIn(metadata);
  if (record === undefined && erased !== undefined)
    throw new SettError(
      "artefact-not-found",
      `The record of artefact ${shortId(id)} was ${erasedText(erased)}.`,
      { hint: "The event of its creation has the digest that it had." },
    );
  if (record === undefined) throw notFound(id, "artefact", shell.suggest);
  const bytes = Buffer.from(record, "base64");
  if (saltIn(bytes) === "")
    shell.messages.note(
      "An earlier version of Sett has stored it: its event names no digest of the record.",
    );
  await shell.out.writeBytes(bytes);
}

async function showTranscript(
  board: ReadingBoard,
  artefact: Artefact,
  isJson: boolean,
  shell: Shell,
): Promise<void> {
  const transcript = await readTranscript(board, artefact, shell);
  if (isJson)
    return await shell.out.write(`${JSON.stringify(transcriptJson(artefact.id, transcript))}\n`);
  const { calls } = transcript;
  if (calls.length === 0)
    return shell.messages.note(
      String(artefact.id) === String(artefact.goal_id)
        ? "No call of a language model has ended for this goal."
        : "No call of a language model led to this artefact.",
    );
  const hasNone = calls.every(
    ({ request, answer }) => request === undefined && answer === undefined,
  );
  if (!hasNone) return await shell.out.write(transcriptText(transcript, shell.out));
  throw new SettError(
    "artefact-not-found",
    `${calls.length === 1 ? "A call of a model led to it, and its" : `${calls.length} calls of models led to it, and their`} bodies are not kept.`,
    {
      hint: "With `record: digests` below `models` in sett.yml the gateway keeps only digests, and `sett down --volumes` removes what it has kept.",
    },
  );
}

/** So long after its artefact is recorded, what a command has printed may be on its way here. */
const onItsWayMs = 30_000;

async function readSoon(
  shell: Shell,
  instance: InstanceName,
  body: Parameters<typeof readOutput>[2] & { createdMs: number },
): Promise<Uint8Array | undefined> {
  const untilMs = Math.min(body.createdMs, Date.now()) + onItsWayMs;
  for (;;) {
    const content = await readOutput(shell, instance, body);
    const isOver = shell.interrupted.aborted || Date.now() >= untilMs;
    if (content !== undefined || isOver) return content;
    await sleep(500, shell.interrupted);
  }
}

async function showStreams(
  board: ReadingBoard & { instance: InstanceName },
  { id, goal_id: goal, created_at: at }: Artefact,
  isJson: boolean,
  shell: Shell,
): Promise<void> {
  const output = (await board.readOutput(id)) ?? {};
  const streams: ReadStream[] = [];
  for (const name of streamNames) {
    const stream = output[name];
    if (stream === undefined) continue;
    const { digest } = stream;
    const body = { artefact: id, name, goal, digest, createdMs: Date.parse(at) };
    const content = await readSoon(shell, board.instance, body);
    streams.push({ name, ...stream, content });
  }
  if (isJson) return await shell.out.write(`${JSON.stringify(streamsJson(id, streams))}\n`);
  if (streams.length === 0)
    return shell.messages.note("Its command has printed nothing beside it that is on record.");
  await shell.out.write(streamsText(streams, shell.out));
}

function isJudged({ structural_type, logical_id, goal_id }: Artefact): boolean {
  return structural_type === "Standard" && String(logical_id) !== String(goal_id);
}

async function showBrief({ board, person }: History, artefact: Artefact, shell: Shell) {
  const brief = await readBrief(board, artefact, await person());
  const text = briefText(brief, { layout: shell.out, symbols: symbolsFor(shell.env) });
  await shell.out.write(`\n${text}`);
}

/** The commit of a goal is not a result: work starts from it. */
function hasResult({ logical_id, goal_id, metadata: { commit } }: Artefact): boolean {
  return commit !== undefined && String(logical_id) !== String(goal_id);
}

/**
 * A pipe often ends in a terminal, which interprets control characters. `--payload` and `--json`
 * give the bytes.
 */
async function contentOf(
  board: ReadingBoard,
  artefact: Artefact,
  { out, suggest }: Shell,
): Promise<string> {
  const keeps = async () => (await board.readOutput(artefact.id)) !== undefined;
  const failure =
    artefact.type === toolFailureType
      ? failureText(artefact, { out, suggest, keeps: await keeps() })
      : undefined;
  if (failure !== undefined) return failure;
  return artefact.payload === "" ? "" : quotedLines(artefact.payload, out).join("\n");
}

async function showCommit(
  { board, workspace, person }: History,
  artefact: Artefact,
  shell: Shell,
): Promise<void> {
  if (workspace === undefined || workspace === "") return;
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  try {
    const repository = await HostRepository.open(workspace, { env: shell.env });
    const changes = await summarizeChanges(board, repository, artefact, {
      person: await person(),
      detail: "files",
    });
    await shell.out.write(`\n${changesText(changes, shell.out)}`);
  } catch (error) {
    shell.messages.warn(messageOf(error));
  }
}
