// Bundles with acts of people: signed, and signed otherwise than they should be.
import { createHash } from "node:crypto";
import { namespace, type PersonalRecord, type Statement } from "../../../lib/proof/statement.ts";
import { type Event, goal, makeBundle, newKey } from "./bundle.ts";
import { sampleAct, sampleActor, sampleReview } from "./sample-act.ts";
import { sshSigner } from "./ssh-signer.ts";

/** The checkpoint of the log is signed by it. */
export const signedKey = newKey("demo.sett.invalid");
const ada = sshSigner("ecdsa-sha2-nistp256");
const eve = sshSigner();
const late = sshSigner("sk-ssh-ed25519@openssh.com");
const large = sshSigner("ssh-rsa");
const name = "ada@example.org";
/** A file of signers. */
export const signedLines = [
  "# who signs\r\n",
  ada.line(`${name},ada`, `namespaces="git,${namespace}"`),
  eve.line("eve@example.org"),
  late.line(name, 'valid-before="20261118232000Z"'),
  late.line(name, 'valid-after="20270101Z",valid-before="20280101Z"'),
  large.line("bob", 'valid-after="20261118231959Z"'),
].join("");

const at = Date.UTC(2026, 10, 18, 23, 20, 1);
const draft = "33333333-3333-4333-8333-333333333333";
const draftRecord = '{"salt":"00","id":"…"}';
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A change of one act: of its record, of its statement, of what is stored, or of its event. */
export type SignedChange = {
  record?: Partial<PersonalRecord>;
  signer?: ReturnType<typeof sshSigner>;
  statement?: Partial<Statement>;
  marks?: (marks: { statement: string; signature: string }) => Record<string, unknown>;
  actor?: string;
  place?: string;
  text?: (record: string) => string;
};

type Made = { event: Event; name: string; text: string };

function madeBy(record: PersonalRecord, change: SignedChange): Made {
  const { marks } = sampleAct(record, {
    ...{ signer: change.signer ?? ada, change: change.statement ?? {} },
    ...{ actor: change.actor ?? sampleActor, at, about: sha256(draftRecord) },
  });
  const stored = { ...record, ...change.record };
  const metadata = { ...stored.metadata, ...(change.marks?.(marks) ?? marks) };
  const fields = {
    ...{ salt: "00", id: stored.id, logical_id: stored.id, version: stored.version },
    ...{ structural_type: stored.structural_type, type: stored.type, payload: stored.payload },
    source_artefacts: JSON.stringify(stored.source_artefacts),
    ...{ produced_by_role: "user", produced_by_agent: stored.produced_by_agent },
    ...{ created_at: new Date(at).toISOString(), goal_id: stored.goal_id },
    ...{ claim_id: stored.claim_id, metadata: JSON.stringify(metadata) },
  };
  const written = JSON.stringify(fields);
  const text = change.text?.(written) ?? written;
  const data = { sha256: sha256(text) };
  const actor = change.actor ?? sampleActor;
  const event = { actor, goal_id: goal, artefact_id: record.id, data };
  const place = change.place ?? `${at}-0`;
  return {
    event: { place, type: "artefact_created", event: JSON.stringify(event) },
    ...{ name: `artefacts/${record.id}.json`, text },
  };
}

const goalRecord: PersonalRecord = {
  ...{ ...sampleReview, id: goal, structural_type: "Standard", type: "GoalDefined" },
  ...{ payload: 'Say "hä"\n', source_artefacts: [], produced_by_agent: "", claim_id: "" },
  metadata: { commit: "ab".repeat(20) },
};
const answerRecord: PersonalRecord = {
  ...{ ...sampleReview, id: "66666666-6666-4666-8666-666666666666", structural_type: "Answer" },
  ...{ type: "Answer", payload: "Green", produced_by_agent: "", claim_id: "", metadata: {} },
};
const unsignedRecord: PersonalRecord = {
  ...{ ...sampleReview, id: "77777777-7777-4777-8777-777777777777" },
  payload: '{"reason":"Too slow"}',
};

/** A goal, a draft, an approval that is changed, an answer, and a rejection that is not signed. */
export async function signedBundle(change: SignedChange = {}): Promise<Map<string, Uint8Array>> {
  const draftEvent = {
    ...{ actor: "agent:writer", goal_id: goal, artefact_id: draft },
    data: { sha256: sha256(draftRecord) },
  };
  const draftMade: Made = {
    event: { place: `${at}-0`, type: "artefact_created", event: JSON.stringify(draftEvent) },
    ...{ name: `artefacts/${draft}.json`, text: draftRecord },
  };
  const made = [
    madeBy(goalRecord, {}),
    draftMade,
    madeBy(sampleReview, change),
    madeBy(answerRecord, {}),
    madeBy(unsignedRecord, { marks: () => ({}) }),
  ];
  const content = Object.fromEntries(made.map((one) => [one.name, one.text]));
  return await makeBundle(
    signedKey,
    made.map(({ event }) => event),
    { goal, content },
  );
}

const half = { statement: "x" };
/** Each with the code that both verifiers name for the approval; undefined: it is signed. */
export const signedChanges: [what: string, change: SignedChange, code: string | undefined][] = [
  ["nothing", {}, undefined],
  ["a key of a device", { signer: late, place: `${at - 1000}-0` }, undefined],
  ["a key of RSA", { signer: large, actor: "person:bob" }, undefined],
  [
    "an approval that became a rejection",
    { record: { payload: '{"reason":"Good."}' } },
    "statement",
  ],
  ["a rejection that became an approval", { statement: { act: "reject" } }, "statement"],
  ["another name", { statement: { name: "Eve <ada@example.org>" } }, "statement"],
  [
    "a name on record that has not signed",
    { statement: { name: "Eve" }, actor: "person:Eve <eve@example.org>" },
    "statement",
  ],
  [
    "a meaning that was changed",
    {
      marks: (marks) => ({
        ...marks,
        statement: marks.statement.replace('"approval"', '"review"'),
      }),
    },
    "sshsig",
  ],
  ["a meaning that is none", { statement: { meaning: "fun" } }, "statement"],
  [
    "a time that was changed",
    {
      marks: (marks) => ({
        ...marks,
        statement: marks.statement.replace("23:20:01.000Z", "23:20:00.000Z"),
      }),
    },
    "sshsig",
  ],
  ["a time of the day before", { statement: { at: "2026-11-17T23:20:00.000Z" } }, "statement"],
  ["a time to come", { statement: { at: "2026-11-18T23:25:02.000Z" } }, "statement"],
  ["a time that is none", { statement: { at: "2026-11-18T23:20:01Z" } }, "statement"],
  ["a day that is none", { statement: { at: "2026-11-31T23:20:01.000Z" } }, "statement"],
  [
    "a reason that was changed",
    { record: { metadata: { ...sampleReview.metadata, comment: "Bad." } } },
    "statement",
  ],
  [
    "another version of the artefact",
    { statement: { content: `sha256:${"0".repeat(64)}` } },
    "statement",
  ],
  ["another artefact", { statement: { artefact: goal } }, "statement"],
  ["a signature that was moved to another act", { statement: { id: goal } }, "statement"],
  ["another goal", { statement: { goal: draft } }, "statement"],
  ["another claim", { statement: { claim: draft } }, "statement"],
  ["another instance", { statement: { instance: "other" } }, "statement"],
  ["another agent for which it was said", { statement: { for: "tester" } }, "statement"],
  ["another version of statements", { statement: { sett_statement: "2" } }, "statement"],
  [
    "another namespace",
    {
      marks: ({ statement }) => ({
        statement,
        signature: ada.sign(statement, { namespace: "git" }),
      }),
    },
    "namespace",
  ],
  ["an unknown key", { signer: sshSigner() }, "signer"],
  ["the key of another person", { signer: eve }, "signer"],
  ["a key of that person that has expired", { signer: late }, "validity"],
  [
    "a key that is not valid yet",
    { signer: large, actor: "person:bob", place: `${at - 2001}-0` },
    "validity",
  ],
  [
    "a device that was not touched",
    {
      signer: late,
      place: `${at - 1000}-0`,
      marks: ({ statement }) => ({ statement, signature: late.sign(statement, { flags: 4 }) }),
    },
    "sshsig",
  ],
  [
    "a signature of other bytes",
    { marks: ({ statement }) => ({ statement, signature: ada.sign("x") }) },
    "sshsig",
  ],
  [
    "a signature that is none",
    { marks: ({ statement }) => ({ statement, signature: "x" }) },
    "sshsig",
  ],
  [
    "a signature with a line of Windows",
    {
      marks: ({ statement, signature }) => ({
        statement,
        signature: signature.replaceAll("\n", "\r\n"),
      }),
    },
    "sshsig",
  ],
  [
    "a signature without its last line feed",
    { marks: ({ statement, signature }) => ({ statement, signature: signature.trimEnd() }) },
    undefined,
  ],
  [
    "a statement with a space",
    {
      marks: ({ statement }) => ({
        statement: `${statement} `,
        signature: ada.sign(`${statement} `),
      }),
    },
    "statement",
  ],
  ["a statement that is none", { marks: ({ signature }) => ({ ...half, signature }) }, "statement"],
  ["a statement alone", { marks: ({ statement }) => ({ statement }) }, "statement"],
  ["a signature alone", { marks: ({ signature }) => ({ signature }) }, "statement"],
  [
    "a statement that is no text",
    { marks: ({ signature }) => ({ statement: 1, signature }) },
    "statement",
  ],
  ["no signature", { marks: () => ({}) }, "unsigned"],
  ["a record with a space", { text: (record) => record.replace(',"id"', ', "id"') }, "statement"],
  [
    "a record with a member less",
    { text: (record) => record.replace('"produced_by_role":"user",', "") },
    "statement",
  ],
  ["a place before all time", { place: "0-0" }, "statement"],
  ["a place beyond all time", { place: `${"9".repeat(30)}-0` }, "statement"],
  [
    "an actor with two addresses",
    { actor: "person:Ada <eve@example.org> <ada@example.org>" },
    undefined,
  ],
  ["an actor without a name", { actor: "person: <ada@example.org>" }, undefined],
];
