// sett erase: takes the content of an artefact or a goal away from where it is kept, on record.
import { resolve } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import { archiveBoard } from "../archive/board.ts";
import { erase as eraseSubject } from "../erase/erase.ts";
import { erasableArchive } from "../erase/erase-in-archive.ts";
import { showErased } from "../erase/show-erased.ts";
import { findSubject } from "../erase/subject.ts";
import { requireKnown } from "../instance/known-archive.ts";
import { openSession } from "../instance/session.ts";
import { signArguments, signerFor } from "../people/sign-act.ts";
import { personArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

/** Bytes: the reason is part of an event, which each reader of the log gets. */
const maxReasonBytes = 1_000;

export const erase = defineCommand({
  name: "erase",
  description: "erase the content of an artefact or a goal, on record",
  details: [
    "Removes what an artefact says: its payload and metadata, with the salt by which a digest could be tried; the kept bodies",
    "of the calls of models that led to it, and what its command has printed; and has Redis write its file anew. The id of a",
    "goal means all its artefacts. That there was an artefact stays, with its digest, and the log says who has erased it,",
    "when and why: write no name into the reason. Work on the goal must have ended. The command lists what else may quote",
    "the content, and what it does not reach. An interrupted run is finished by the next one: repeat the command.",
  ].join("\n"),
  args: {
    id: {
      type: "positional",
      required: true,
      description: "an artefact or a goal; 6 or more characters of the id are enough",
    },
    reason: { type: "string", alias: "r", valueHint: "TEXT", description: "why, for the record" },
    "with-quotes": {
      type: "boolean",
      description: "also the bodies and outputs of other work of the goal that got the content",
    },
    archive: {
      type: "string",
      valueHint: "FILE",
      description: "erase it in this file of `sett prune`, into which its goal was moved",
    },
    "dry-run": { type: "boolean", description: "only say what would be erased" },
    ...signArguments,
    ...personArguments,
  },
  examples: [
    'sett erase 9f3a12b4 --reason "Request 17" --dry-run',
    'sett erase 9f3a12b4 --reason "Request 17"',
    'sett erase 9f3a12b4 --reason "Request 17" --with-quotes --sign',
  ],
  isOfThisMachine: true,
  async run(args, shell) {
    const reason = reasonOf(args.reason, args["dry-run"]);
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board, place } = session;
    const path = args.archive === undefined ? undefined : resolve(shell.cwd, args.archive);
    if (path !== undefined) await requireKnown(path, args.name, shell);
    const archived = path === undefined ? undefined : await archiveBoard(path);
    const subject = await findSubject(archived ?? board, args.id, shell.suggest);
    const erasable =
      path === undefined || archived === undefined ? board : erasableArchive(board, archived, path);
    const sign = await signerFor(args, place, shell);
    const [withQuotes, isDry] = [args["with-quotes"], args["dry-run"]];
    const order = { actor, reason, sign, withQuotes, isDry };
    const erased = await eraseSubject({ board: erasable, place }, subject, order, shell);
    await showErased(erased, order, args.json, shell);
  },
});

function reasonOf(text: string | undefined, isDry: boolean): string {
  const reason = text?.trim() ?? "";
  if (reason === "" && !isDry)
    throw new SettError("usage", "`sett erase` needs a reason, which stays on record.", {
      hint: 'For example: --reason "Request 17"',
    });
  if (Buffer.byteLength(reason) <= maxReasonBytes && reason.isWellFormed()) return reason;
  throw new SettError("usage", `The reason has more than ${maxReasonBytes} bytes, or is no text.`, {
    hint: "Name where it is written in full. Nothing was erased.",
  });
}
