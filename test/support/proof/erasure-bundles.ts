// Bundles in which a person has had something erased, each with the problems that verifiers name.
import { createHash } from "node:crypto";
import { erasureStatedBy, statementText } from "../../../lib/proof/statement.ts";
import { artefact, artefactFile, goal, makeBundle } from "./bundle.ts";
import { signedKey } from "./signed-bundle.ts";
import { sshSigner } from "./ssh-signer.ts";

const record = '{"salt":"00","id":"…"}';
const sha256 = createHash("sha256").update(record).digest("hex");
const other = "0".repeat(64);
const actor = "person:Ada <ada@example.org>";
const startMs = Date.UTC(2026, 10, 18, 23, 20);

type Said = { type: string; actor: string; data: object; [member: string]: unknown };
type Erasure = Partial<Said> & { data?: object };

const created = (data: object = { sha256 }): Said => ({
  ...{ type: "artefact_created", actor: "agent:writer@1", artefact_id: artefact },
  data,
});
const erased = ({ data = {}, ...over }: Erasure = {}): Said => ({
  ...{ type: "artefact_erased", actor, artefact_id: artefact },
  data: { reason: "Request 17", sha256, ...data },
  ...over,
});
const isMissing = [`artefact ${artefactFile}`];
const isWrong = ["erased records.jsonl:2"];

/** `isThere`: the artefact is in the bundle. */
type Case = [name: string, events: Said[], problems: string[], isThere?: true];

export const erasures: Case[] = [
  ["nothing", [created()], [], true],
  ["what is merely missing", [created()], isMissing],
  ["an artefact that was erased", [created(), erased()], []],
  ["one that was erased twice", [created(), erased(), erased()], []],
  ["one that was erased, and is there", [created(), erased()], [`erased ${artefactFile}`], true],
  ["an erasure of nothing", [created({}), erased({ artefact_id: goal })], isWrong],
  ["an erasure before", [erased(), created()], [...isMissing, "erased records.jsonl:1"]],
  [
    "an erasure of another content",
    [created(), erased({ data: { sha256: other } })],
    [...isMissing, ...isWrong],
  ],
  [
    "an erasure by an agent",
    [created(), erased({ actor: "agent:x@1" })],
    [...isMissing, ...isWrong],
  ],
  ["an erasure by hand", [created(), erased({ actor: "hand" })], [...isMissing, ...isWrong]],
  ["no reason", [created(), erased({ data: { reason: "" } })], [...isMissing, ...isWrong]],
  [
    "a reason that is none",
    [created(), erased({ data: { reason: 17 } })],
    [...isMissing, ...isWrong],
  ],
  ["no data", [created(), { ...erased(), data: [] }], [...isMissing, ...isWrong]],
  ["one of an earlier version", [created({}), erased({ data: { sha256: undefined } })], []],
  [
    "a digest in capitals, of one of an earlier version",
    [created({}), erased({ data: { sha256: "A".repeat(64) } })],
    [],
  ],
  [
    "one that was made again as another",
    [created(), created({ sha256: other }), erased()],
    [...isMissing, "erased records.jsonl:3"],
  ],
];

export async function erasureBundle(events: readonly Said[], isThere?: true, by = signedKey) {
  const sealed = events.map(({ type, ...event }, at) => ({
    ...{ place: `${startMs}-${at}`, type },
    event: JSON.stringify({ ...event, goal_id: goal }),
  }));
  const content: Record<string, string> = isThere ? { [artefactFile]: record } : {};
  return await makeBundle(by, sealed, { goal, content });
}

const signer = sshSigner();
export const erasureSigners = signer.line("ada@example.org");

type Change = Parameters<typeof signedErasure>[0];

/** The data of an event of an erasure that is signed. */
function signedErasure({
  of = { artefact, sha256 },
  change = {},
  key = signer,
}: {
  of?: { artefact: string; sha256: string };
  change?: Record<string, string>;
  key?: ReturnType<typeof sshSigner>;
}): object {
  const stated = erasureStatedBy({ ...of, goal, reason: "Request 17", actor, instance: "demo" });
  const statement = statementText({
    ...{ sett_statement: "1", meaning: "responsibility", at: new Date(startMs).toISOString() },
    ...stated,
    ...change,
  });
  return { statement, signature: key.sign(statement) };
}

const all = { artefact: "", sha256: "" };
const signedCases: [name: string, change: Change, code: string | undefined][] = [
  ["a signed erasure", {}, undefined],
  ["one signature for a goal", { of: all }, undefined],
  ["a goal with a content", { of: { artefact: "", sha256 } }, "statement"],
  ["another artefact", { of: { artefact: goal, sha256 } }, "statement"],
  ["another content", { of: { artefact, sha256: other } }, "statement"],
  ["another reason", { change: { reason: "Why" } }, "statement"],
  ["another act", { change: { act: "approve" } }, "statement"],
  ["another goal", { change: { goal: artefact } }, "statement"],
  ["another instance", { change: { instance: "other" } }, "statement"],
  ["a time of the day before", { change: { at: "2026-11-17T23:19:59.000Z" } }, "statement"],
  ["another key", { key: sshSigner() }, "signer"],
];

/** Each with the problems of the erasure, which is the record of line 2. */
export const signedErasures: Case[] = [
  ["an erasure without a signature", [created(), erased()], ["unsigned records.jsonl:2"]],
  [
    "a statement alone",
    [created(), erased({ data: { statement: "x" } })],
    ["statement records.jsonl:2"],
  ],
  ...signedCases.map(([name, change, code]): Case => {
    const problems = code === undefined ? [] : [`${code} records.jsonl:2`];
    return [name, [created(), erased({ data: signedErasure(change) })], problems];
  }),
];
