// sett audit: shows whether what is on record was decided by the rules, and whether all is there.

import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { anchorLog } from "../audit/anchor.ts";
import { attest } from "../audit/attest.ts";
import { exchangeKey, exportAudit, printKey } from "../audit/export.ts";
import { beginNewLog } from "../audit/new-log.ts";
import { writeReceipt } from "../audit/receipt.ts";
import { showReplay } from "../audit/show-replay.ts";
import { showVerified } from "../audit/show-verified.ts";
import { jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const audit = defineCommand({
  name: "audit",
  description: "show that what is on record is whole, and was decided by the rules",
  details: [
    "`replay` makes each decision on record again, from the log and the rules that it names: which claims were opened, who was",
    "granted what, why work ended. It also names what agents cannot have done, such as a result after the end. With a FILE of",
    "`sett prune` or `export` no sett needs to run. Exit code 1 where the record is not as the rules ask for, or a claim is not what its",
    "events have made of it.",
    "`export` writes one file about a goal, or about all, of an instance with `proof: on`; `verify` shows by it and by a key",
    "from elsewhere, without a sett or a network, that nothing was changed, left out or put in between. `key` prints that key.",
    "`rotate-key` lets another key take its place, which the old one signs: who has either can verify what comes before and after.",
    "`new-log` gives a log up whose key or volume is lost: the next one names it.",
    "`attest` prints how a commit came about, or each commit of a goal: SLSA provenance in a bundle of Sigstore, as cosign and",
    "other programs verify it with the key of `key --pem`. With --notes it is kept with the commit, in refs/notes/sett.",
    "`receipt` keeps the proof that an act of yours, such as an approval, is in the log: by --receipt `verify` names its absence.",
    "`anchor` shows what was sealed to others, for example each hour: an authority that stamps the time, witnesses, a remote of git.",
    "`verify` then shows that it was there not later than they say, and what came after it not earlier.",
  ].join("\n"),
  args: {
    what: {
      type: "positional",
      required: true,
      description:
        "`replay`, `export`, `verify`, `attest`, `receipt`, `anchor`, `key`, `rotate-key` or `new-log`",
    },
    about: {
      type: "positional",
      required: false,
      valueHint: "FILE|GOAL",
      description:
        "`replay`: a file of `sett prune` or `export`; without it, the log of the running sett. `export`: a goal. `verify`: a file of `export`. `attest`: a commit, artefact or goal. `receipt`: an artefact",
    },
    all: { type: "boolean", default: false, description: "`export` all goals" },
    to: {
      type: "string",
      valueHint: "FILE",
      description:
        "where `export` or `receipt` writes; default: `sett-proof-GOAL.tar`, `sett-receipt-ID.tlog-proof`",
    },
    archive: {
      type: "string",
      isList: true,
      valueHint: "FILE",
      description:
        "`export` also takes artefacts and rules from this file of `sett prune`; may be repeated",
    },
    key: {
      type: "string",
      valueHint: "KEY",
      description: "what `verify` trusts: the key as `sett audit key` prints it, or a file with it",
    },
    repository: {
      type: "string",
      valueHint: "FOLDER",
      description:
        "a clone: `verify` compares what it has seen of the log, as `git fetch` has brought it",
    },
    signers: {
      type: "string",
      valueHint: "FILE",
      description: "an allowed_signers file of OpenSSH: `verify` checks what people have signed",
    },
    receipt: {
      type: "string",
      isList: true,
      valueHint: "FILE",
      description: "a receipt: `verify` shows that the bundle has this act; may be repeated",
    },
    tsa: {
      type: "string",
      valueHint: "URL|FILE",
      description:
        "`anchor`: the address of an authority that stamps the time (RFC 3161). `verify`: a file with the certificates that are trusted, as PEM",
    },
    witness: {
      type: "string",
      isList: true,
      valueHint: "URL",
      description: "`anchor`: a witness (c2sp.org/tlog-witness); may be repeated",
    },
    policy: {
      type: "string",
      valueHint: "FILE",
      description:
        "which witnesses are trusted, and how many must have seen the log (c2sp.org/tlog-policy); for `verify` it may have the key, too",
    },
    push: {
      type: "string",
      valueHint: "REMOTE",
      description: "`anchor`: push what git has of the log to this remote",
    },
    require: {
      type: "string",
      valueHint: "WORDS",
      description:
        "with commas between them. `signatures`, with --signers: each verdict, answer and goal of a person must be signed. `replay`: each claim must be decided again to its end. `tsa`, `witness`: such a one must be about all of the goal",
    },
    reason: {
      type: "string",
      valueHint: "TEXT",
      description: "`new-log`: why, for the record",
    },
    notes: {
      type: "boolean",
      default: false,
      description: "`attest`: as notes of git, which can be pushed and fetched with the commits",
    },
    pem: {
      type: "boolean",
      default: false,
      description: "`key`: the public key of attestations, for other programs",
    },
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    "sett audit replay",
    "sett audit replay sett-archive.jsonl --json",
    "sett audit replay release.tar",
    "sett audit export 9f3a12b4 --to release.tar",
    "sett audit export 9f3a12b4 --archive sett-archive.jsonl --to release.tar",
    "sett audit verify release.tar --key demo.sett.invalid/1a2b3c4d+5e6f7a8b+AX0…",
    "sett audit verify release.tar --key demo.key --repository .",
    "sett audit verify release.tar --key demo.key --signers signers --require signatures",
    "sett audit attest $(git rev-parse HEAD^2) > commit.sigstore.json",
    "sett audit attest 9f3a12b4 --notes",
    "sett audit key --pem > attest.pub",
    "sett audit rotate-key > demo.key",
    'sett audit new-log --reason "The disk was lost"',
    "sett audit receipt 1a2b3c4d --to mine.tlog-proof",
    "sett audit verify release.tar --key demo.key --receipt mine.tlog-proof",
    "sett audit anchor --tsa https://timestamp.example/ --push origin",
    "sett audit verify release.tar --key demo.key --tsa authority.pem --require tsa",
  ],
  async run(args, shell) {
    const { what, about, all, to, archive, key, repository, signers, receipt, require } = args;
    const { tsa, witness, policy, push, reason, notes, pem, json, name } = args;
    switch (what) {
      case "replay":
        return await showReplay({ file: about, json, name }, shell);
      case "export":
        return await exportAudit({ goal: about, all, to, archives: archive, json, name }, shell);
      case "verify":
        return await showVerified(
          {
            ...{ file: about, key, repository, signers, receipts: receipt, require, json },
            ...{ tsa, policy },
          },
          shell,
        );
      case "attest":
        if (about === undefined)
          throw new SettError("usage", "`sett audit attest` needs a commit, artefact or goal.", {
            hint: "For example: `sett audit attest 9f3a12b4`",
          });
        return await attest({ about, notes, name }, shell);
      case "receipt":
        if (about === undefined)
          throw new SettError("usage", "`sett audit receipt` needs an artefact.", {
            hint: "The id of what you posted: `sett audit receipt 9f3a12b4`",
          });
        return await writeReceipt({ artefact: about, to, name }, shell);
      case "anchor":
        return await anchorLog({ tsa, witnesses: witness, policy, push, json, name }, shell);
      case "rotate-key":
        return await exchangeKey({ name }, shell);
      case "new-log":
        return await beginNewLog({ reason, name }, shell);
      case "key":
        return await printKey({ name, pem }, shell);
      default:
        throw new SettError("usage", `\`sett audit\` does not know \`${oneLine(what)}\`.`, {
          hint: "For example: `sett audit replay`",
        });
    }
  },
});
