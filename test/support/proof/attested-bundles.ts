// Bundles in which a commit is attested, each with the problems that verifiers name.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  attestationKeyText,
  newAttestationKey,
  signAttestation,
} from "../../../lib/proof/attestation.ts";
import { readRecord } from "../../../lib/proof/formats.ts";
import { signNote } from "../../../lib/proof/note.ts";
import { attestationFile, commitFile, Provenance } from "../../../lib/proof/provenance.ts";
import { asBundle } from "./archive.ts";
import {
  artefactFile,
  goal,
  artefact as id,
  type Key,
  makeBundle,
  newKey,
  otherGoal,
} from "./bundle.ts";

export const attestedKey = newKey();
export const attestationPem = newAttestationKey();

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const gitHash = (text: string, algorithm = "sha1") =>
  createHash(algorithm)
    .update(`commit ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
const claim = "44444444-4444-4444-8444-444444444444";
const ofReview = "55555555-5555-4555-8555-555555555555";
const review = "66666666-6666-4666-8666-666666666666";
const rejection = "77777777-7777-4777-8777-777777777777";
const startMs = Date.UTC(2026, 10, 18, 23, 20);

export const commitObject = `tree ${"a".repeat(40)}\nparent ${"b".repeat(40)}\nauthor Ä <a@b.c> 0 +0000\n\nPaint it\n`;
export const commit = gitHash(commitObject);
const longObject = commitObject.replaceAll(/[ab]{40}/g, (hash) => hash.padEnd(64, "c"));
const longCommit = gitHash(longObject, "sha256");

/** The record of the artefact by which the commit was delivered. */
function recordOf(change: Record<string, string> = {}): string {
  return JSON.stringify({
    ...{ salt: "00", id, logical_id: id, version: "1", structural_type: "Standard" },
    ...{ type: "CodeCommit", payload: commit, source_artefacts: "[]", produced_by_role: "coder" },
    ...{ produced_by_agent: "coder", created_at: "", goal_id: goal, claim_id: claim },
    metadata: JSON.stringify({ commit }),
    ...change,
  });
}

const image = "1".repeat(64);
const registry = JSON.stringify([
  { name: "tester", image: `sha256:${"2".repeat(64)}` },
  { name: "coder", image: `registry.example.org/coder@sha256:${image}` },
  { name: "coder", image: `sha256:${"3".repeat(64)}` },
]);

type Said = { type: string; data?: object; [member: string]: unknown };

const attempt = { agent: "coder", claim_id: claim };
const started: Said = {
  ...{ type: "grant_started", actor: "agent:coder@1", ...attempt },
  data: {
    ...{ attempt: 1, phase: "exclusive", base_commit: "b".repeat(40) },
    ...{ inputs: `${review} x ${otherGoal}`, inputs_left_out: 3, inputs_sha256: sha256("inputs") },
  },
};
const called: Said = {
  ...{ type: "model_called", actor: "gateway", ...attempt },
  data: {
    ...{ kind: "grant", attempt: 1, provider: "anthropic", asked: "a", answered: 'a "1"\n\u2028' },
    ...{ request: sha256("request"), answer: sha256("answer") },
  },
};
const created = (record: string): Said => ({
  ...{ type: "artefact_created", actor: "agent:coder@1", artefact_id: id, ...attempt },
  data: { sha256: sha256(record), structural_type: "Standard", agent: "coder" },
});
const done: Said = {
  ...{ type: "grant_done", actor: "agent:coder@1", artefact_id: id, ...attempt },
  data: { attempt: 1, phase: "exclusive", stdin: sha256("in"), stderr: sha256("err") },
};
const reviewed = (artefact_id: string, actor: string, claim_id = ofReview): Said => ({
  ...{ type: "artefact_created", actor, artefact_id, claim_id, agent: "owner" },
  data: { structural_type: "Review", agent: "owner", sha256: sha256(artefact_id) },
});
const opened = (artefact_id: string, claim_id: string, data = {}): Said => ({
  ...{ type: "claim_opened", actor: "orchestrator:1", artefact_id, claim_id, data },
});

export const eventsOf = (record = recordOf()): Said[] => [
  { type: "artefact_created", artefact_id: goal, data: { sha256: sha256("goal") } },
  opened(goal, claim, { registry: sha256("before") }),
  { ...opened(goal, claim, { registry: sha256(registry) }), type: "grant_queued" },
  { ...started, data: { ...started.data, attempt: 2 } },
  started,
  called,
  { ...called, data: { ...called.data, attempt: 2 } },
  { ...called, data: { kind: "grant", attempt: 1, provider: "x", asked: "b" } },
  { ...called, data: { ...called.data, kind: "bid" } },
  created(record),
  done,
  opened(id, ofReview),
  reviewed(review, "person:Ada <ada@example.org>"),
  reviewed(rejection, "agent:tester@2"),
  reviewed(otherGoal, "agent:tester@2", claim),
  { ...done, artefact_id: rejection, claim_id: ofReview, data: { rejects: true } },
];

type Files = Map<string, Uint8Array>;
type Change = (files: Files) => void;
export type AttestedCase = {
  events?: Said[];
  record?: string;
  object?: string;
  change?: Change;
  isOfAll?: boolean;
};

/** The file has the sample's statement where nothing can be attested. */
export async function attestedBundle(
  {
    events,
    record = recordOf(),
    object = commitObject,
    change = () => {},
    isOfAll,
  }: AttestedCase = {},
  by: Key = attestedKey,
): Promise<Files> {
  const sealed = (events ?? eventsOf(record)).map(({ type, ...event }, at) => ({
    ...{ place: String(event.place ?? `${startMs + at}-0`), type },
    event: JSON.stringify({ ...event, goal_id: goal }),
  }));
  const hash = gitHash(object, object.includes("c".repeat(24)) ? "sha256" : "sha1");
  const content = {
    [artefactFile]: record,
    [`facts/${sha256(registry)}`]: registry,
    [`facts/${sha256("before")}`]: "before",
    [`artefacts/${goal}.json`]: "goal",
    [`artefacts/${review}.json`]: review,
    [`artefacts/${rejection}.json`]: rejection,
    [`artefacts/${otherGoal}.json`]: otherGoal,
    [commitFile(hash)]: object,
    "attestation-key": signNote(attestationKeyText(attestationPem), by.signer),
  };
  const files = await makeBundle(by, sealed, { content, ...(isOfAll ? {} : { goal }) });
  const statement = (await statementIn(files, by)) ?? (await sampleStatement());
  files.set(attestationFile(id), Buffer.from(signAttestation(statement, attestationPem)));
  change(files);
  return files;
}

/** The statement is made as the notary makes it. */
async function statementIn(files: Files, { signer }: Key): Promise<string | undefined> {
  const provenance = new Provenance();
  for (const line of Buffer.from(files.get("records.jsonl") ?? [])
    .toString()
    .split("\n")) {
    const record = readRecord(line);
    if (record !== undefined) provenance.note(record);
  }
  return (await provenance.statementOf(id, await asBundle(files), signer.name)).statement;
}

export async function sampleStatement(): Promise<string> {
  return (await statementIn(await attestedBundle(), attestedKey)) ?? "";
}

const file = attestationFile(id);
const ofFile = [`attestation ${file}`];
const ofCommit = [`attestation ${commitFile(commit)}`];
const unnamed = [...ofFile, `unknown-file ${commitFile(commit)}`];
const keyFile = "attestation-key";
const otherPem = newAttestationKey();
const sample = await sampleStatement();
const withOther = (change: Parameters<typeof eventsWith>[0]): AttestedCase => ({
  events: eventsWith(change),
});

/** The sample's events, with one of each type changed: undefined leaves it out. */
function eventsWith(changes: Record<string, Partial<Said> | undefined>): Said[] {
  return eventsOf().flatMap((event) => {
    const change = event.type in changes ? changes[event.type] : {};
    if (change === undefined) return [];
    return [{ ...event, ...change, data: { ...event.data, ...change.data } }];
  });
}

function signed(statement: string, pem = attestationPem): AttestedCase {
  return { change: (files) => files.set(file, Buffer.from(signAttestation(statement, pem))) };
}

function edited(name: string, from: string | RegExp, to: string): AttestedCase {
  return {
    change: (files) => {
      const text = Buffer.from(files.get(name) ?? []).toString();
      if (text.replace(from, to) === text) throw new Error(`${name} has nothing like ${from}.`);
      files.set(name, Buffer.from(text.replace(from, to)));
    },
  };
}

function noted(text: string, by: Key = attestedKey): AttestedCase {
  return { change: (files) => files.set(keyFile, Buffer.from(signNote(text, by.signer))) };
}

const without = (name: string): AttestedCase => ({ change: (files) => files.delete(name) });
const moved = (from: string, to: string): AttestedCase => ({
  change: (files) => {
    files.set(to, files.get(from) ?? Buffer.of());
    files.delete(from);
  },
});
const inRecord = (change: Record<string, string>): AttestedCase => ({ record: recordOf(change) });
const keyText = (base64: string) => `sett/1 attestations ${base64}\n`;
const ofEd25519 = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

const [, ofOther = ""] = signAttestation("{}", attestationPem).trim().split('"sig"');

export const attestedCases: [name: string, made: AttestedCase, problems: string[]][] = [
  ["nothing", {}, []],
  ["another subject", signed(sample.replace(commit, "d".repeat(40))), ofFile],
  ["another tree", signed(sample.replace("a".repeat(40), "d".repeat(40))), ofFile],
  ["another agent", signed(sample.replace('"agent":"coder"', '"agent":"tester"')), ofFile],
  ["another verdict", signed(sample.replace('"rejects"', '"approves"')), ofFile],
  ["a statement with a space", signed(sample.replace(":", ": ")), ofFile],
  ["a statement of nothing", signed(""), ofFile],
  ["another key of attestations", signed(sample, otherPem), ofFile],
  ["no signature", edited(file, /"sig":".*?"/, '"sig":""'), ofFile],
  ["the signature of another statement", edited(file, /"sig".*/, `"sig"${ofOther}`), ofFile],
  ["an id of the key", edited(file, '{"sig"', '{"keyid":"x","sig"'), ofFile],
  ["a space", edited(file, ",", ", "), ofFile],
  ["no line feed", edited(file, "\n", ""), ofFile],
  ["base64 of another kind", edited(file, /"payload":"ey/, '"payload":"ey\\n'), ofFile],
  ["a payload that is no UTF-8", edited(file, /"payload":".*?"/, '"payload":"/w=="'), ofFile],
  ["another type of payload", edited(file, "in-toto+json", "in-toto"), ofFile],
  ["no key", without(keyFile), [`missing ${keyFile}`]],
  ["the key alone", without(file), [`unknown-file ${commitFile(commit)}`]],
  [
    "the key of another log",
    noted(attestationKeyText(otherPem), newKey()),
    [`signature ${keyFile}`],
  ],
  ["another key that the log names", noted(attestationKeyText(otherPem)), ofFile],
  ["a key of another kind", noted(keyText(ofEd25519)), [`malformed ${keyFile}`]],
  ["a key in other words", noted(`${keyText("")}x\n`), [`malformed ${keyFile}`]],
  ["a key of nothing", noted(keyText("")), [`malformed ${keyFile}`]],
  [
    "a commit that no record has",
    moved(file, attestationFile(goal)),
    [...[`attestation ${attestationFile(goal)}`, `unknown-file ${commitFile(commit)}`]],
  ],
  [
    "an attestation of no artefact",
    moved(file, attestationFile(claim)),
    [...[`attestation ${attestationFile(claim)}`, `unknown-file ${commitFile(commit)}`]],
  ],
  [
    "an attestation without an id",
    moved(file, "attestations/x.sigstore.json"),
    [...["unknown-file attestations/x.sigstore.json", `unknown-file ${commitFile(commit)}`]],
  ],
  ["a commit changed", edited(commitFile(commit), "Paint", "Print"), ofCommit],
  [
    "another commit of the tree",
    moved(commitFile(commit), `commits/${"d".repeat(40)}`),
    [...[...ofCommit, `unknown-file commits/${"d".repeat(40)}`]],
  ],
  ["no commit", without(commitFile(commit)), ofCommit],
  [
    "an object that is no commit",
    {
      ...{
        record: recordOf({ metadata: JSON.stringify({ commit: gitHash("x\n") }) }),
        object: "x\n",
      },
    },
    [`attestation ${commitFile(gitHash("x\n"))}`],
  ],
  [
    "a commit of SHA-256",
    {
      record: recordOf({ metadata: JSON.stringify({ commit: longCommit }) }),
      object: longObject,
    },
    [],
  ],
  ["an artefact without a commit", inRecord({ metadata: "{}" }), unnamed],
  ["a commit that is none", inRecord({ metadata: '{"commit":7}' }), unnamed],
  ["a review", inRecord({ structural_type: "Review" }), unnamed],
  ["a record of another goal", inRecord({ goal_id: otherGoal }), unnamed],
  ["a record of no goal", inRecord({ goal_id: "x" }), unnamed],
  ["a record in another form", { record: `${recordOf()} ` }, unnamed],
  [
    "an artefact changed",
    edited(artefactFile, "CodeCommit", "Codecommit"),
    [...[`artefact ${artefactFile}`, ...unnamed]],
  ],
  ["no end", withOther({ grant_done: undefined }), unnamed],
  ["an end of no claim", withOther({ grant_done: { claim_id: "x" } }), unnamed],
  ["an end of no agent", withOther({ grant_done: { agent: 7 } }), unnamed],
  [
    "the commit that it began with",
    withOther({ grant_started: { data: { base_commit: commit } } }),
    unnamed,
  ],
  ["no start", withOther({ grant_started: undefined }), []],
  [
    "attempts that are none",
    withOther({
      ...{ grant_started: { data: { attempt: "1" } }, grant_done: { data: { attempt: 1.5 } } },
    }),
    [],
  ],
  ["attempts in another form", withOther({ grant_done: { data: { attempt: 1_000_000 } } }), []],
  [
    "a start of other members",
    withOther({
      grant_started: { data: { base_commit: "x", inputs: 7, inputs_sha256: "A".repeat(64) } },
    }),
    [],
  ],
  ["no calls of models", withOther({ model_called: undefined }), []],
  [
    "half a character",
    withOther({ model_called: { data: { provider: "\ud800", answered: "" } } }),
    [],
  ],
  [
    "no phase, and what is printed by another name",
    withOther({
      grant_done: { data: { phase: 1, stdin: "x", stdout: sha256("out") } },
    }),
    [],
  ],
  [
    "registrations that are none",
    withOther({ grant_queued: { data: { registry: sha256("before") } } }),
    [`unknown-file facts/${sha256(registry)}`],
  ],
  [
    "times at the end of all",
    withOther({
      ...{ grant_started: { place: "7-0" }, grant_done: { place: "253402300800000-0" } },
    }),
    [],
  ],
  ["of all goals", { isOfAll: true }, []],
  [
    "of all goals, another agent",
    { ...signed(sample.replace('"agent":"coder"', "")), isOfAll: true },
    ofFile,
  ],
];
