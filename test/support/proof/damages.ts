// Damages bundles in ways that each have a name: for tests that compare verifiers.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { checkpointText, entryOf, entryText, recordText } from "../../../lib/proof/formats.ts";
import { signNote } from "../../../lib/proof/note.ts";
import { end, member, pack } from "./archive.ts";
import {
  artefact,
  artefactFile,
  content,
  factFile,
  goal,
  makeBundle,
  newKey,
  otherGoal,
  sampleEvents,
} from "./bundle.ts";

export type Damage = { name: string; archive: Buffer };
export type Files = Map<string, Uint8Array>;
type Change = (files: Files) => void;

export const key = newKey();
const stranger = newKey();
const { signer } = key;
export const ofGoal = await makeBundle(key, sampleEvents, { goal, content });
export const ofAll = await makeBundle(key, sampleEvents, { content });

export const textIn = (files: ReadonlyMap<string, Uint8Array>, name: string) =>
  Buffer.from(files.get(name) ?? []).toString("latin1");

/** Changes of the files of a folder of a bundle. */
export const changesBelow = (folder: string) => ({
  edit:
    (name: string, from: string | RegExp, to: string): Change =>
    (files) => {
      const text = textIn(files, `${folder}/${name}`);
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`${name} has nothing like ${from}.`);
      files.set(`${folder}/${name}`, Buffer.from(changed, "latin1"));
    },
  remove:
    (...names: string[]): Change =>
    (files) => {
      for (const name of names) files.delete(`${folder}/${name}`);
    },
});

const write =
  (name: string, text: string): Change =>
  (files) =>
    files.set(name, Buffer.from(text, "latin1"));
const remove =
  (...names: string[]): Change =>
  (files) =>
    names.forEach((name) => {
      files.delete(name);
    });
const edit =
  (name: string, from: string | RegExp, to: string): Change =>
  (files) => {
    const text = textIn(files, name);
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${name} has nothing like ${from}.`);
    write(name, changed)(files);
  };
const lines =
  (name: string, change: (lines: string[]) => string[]): Change =>
  (files) =>
    write(name, change(textIn(files, name).split(/(?<=\n)/)).join(""))(files);
const both =
  (...changes: Change[]): Change =>
  (files) => {
    for (const change of changes) change(files);
  };
const swap = ([first = "", second = "", ...rest]: string[]) => [second, first, ...rest];
const double = ([first = "", ...rest]: string[]) => [first, first, ...rest];
const cut = (at: number) => (all: string[]) => all.toSpliced(at, 1);
const without = (line: number, proof: number) =>
  both(
    lines("entries", cut(line)),
    lines("records.jsonl", cut(line)),
    remove(`proofs/${proof}.tlog-proof`),
  );
const note = (name: string, text: string, by = signer) => {
  const signed = Buffer.from(signNote(text, by)).toString("latin1");
  return write(name, signed);
};
const about = (words: string) => note("goal", `sett/1 goal ${goal} ${words}\n`);
const root = createHash("sha256").digest();
const closed = "events 6 log 12 state closed";
const head = (size: number, origin = signer.name) =>
  note("checkpoint", checkpointText({ origin, size, root }));
const exchange =
  (one: string, other: string): Change =>
  (files) => {
    const [first, second] = [textIn(files, one), textIn(files, other)];
    both(write(one, second), write(other, first))(files);
  };
const deep = (count: number) => `{"deep":${"[".repeat(count)}${"]".repeat(count)}}`;

/** An event at the end of the log, as the notary never seals it. */
function added(event: string, change = (text: string) => text): Change {
  const record = { salt: "0".repeat(32), place: "1795230000000-99", type: "odd", event };
  const text = change(recordText(record));
  const entry = entryText({ ...entryOf(record, text), number: 7 });
  const more = (line: string) => (all: string[]) => [...all, line];
  return both(
    lines("entries", more(`11 ${entry}`)),
    lines("records.jsonl", more(`${Buffer.from(text).toString("latin1")}\n`)),
  );
}

/** A signature of the key, behind the right one. */
function signedWith(bytes: Buffer): Change {
  return edit("goal", /$/, `\xe2\x80\x94 ${signer.name} ${bytes.toString("base64")}\n`);
}

const proof = "proofs/4.tlog-proof";
const damagesOfGoal: [name: string, change: Change][] = [
  ["another README", both(write("README", "x"), write("keys", ""))],
  ["no README", remove("README", "keys")],
  ["a byte of a record", edit("records.jsonl", "bid 4", "bid 5")],
  ["the salt of a record", edit("records.jsonl", /"salt":"./, '"salt":"x')],
  ["a record removed", lines("records.jsonl", cut(1))],
  ["two records swapped", lines("records.jsonl", swap)],
  ["a record doubled", lines("records.jsonl", double)],
  ["a record too many", added("{}")],
  ["a record with a space", edit("records.jsonl", ',"place"', ', "place"')],
  ["a record with another escape", edit("records.jsonl", "artefact_c", "artefact\\u005fc")],
  ["a record with a member more", edit("records.jsonl", '"}\n', '","x":"y"}\n')],
  ["a record that is no UTF-8", edit("records.jsonl", "bid 4", "bid \xff")],
  ["a record with half a character", edit("records.jsonl", "bid 4", "bid \\ud800")],
  ["a type with half a character", added("{}", (text) => text.replace("odd", "\\ud800"))],
  ["a record with a line feed of Windows", edit("records.jsonl", "}\n", "}\r\n")],
  ["records with a mark of the order of bytes", edit("records.jsonl", "{", "\xef\xbb\xbf{")],
  ["records with an empty line", edit("records.jsonl", /$/, "\n")],
  ["records without a line feed", edit("records.jsonl", /\n$/, "")],
  ["records of nothing", write("records.jsonl", "")],
  ["no records", remove("records.jsonl")],
  ["a record that is nested deep", write("records.jsonl", `${"[".repeat(100_000)}\n`)],
  ["an event that is nested deep", added(deep(100_000))],
  ["an event that says a goal twice", added(`{"goal_id":"${otherGoal}","goal_id":"${goal}"}`)],
  ["an event that is no object", added(`[{"goal_id":"${goal}"}]`)],
  ["an event with a bad number", added(`{"goal_id":"${goal}","x":01}`)],
  ["an event with a space of no JSON", added(`\u00a0{"goal_id":"${goal}"}`)],
  ["an event with a goal in capitals", added(`{"goal_id":"${goal.toUpperCase()}A"}`)],
  ["an event with an escaped name", added(`{"goal\\u005fid":"${goal}"}`)],
  ["the type of an entry", edit("entries", "claim_opened", "claim_closed")],
  ["the place of an entry", edit("entries", "0000-4", "0000-5")],
  ["a huge place", edit("entries", "0000-4", `0000-${"9".repeat(30)}`)],
  ["a place with a zero before", edit("entries", "0000-4", "0000-04")],
  ["the number of an entry", edit("entries", `${goal} 3 `, `${goal} 4 `)],
  ["a number beyond all", edit("entries", `${goal} 3 `, `${goal} 9007199254740992 `)],
  ["a number that is just below", edit("entries", `${goal} 3 `, `${goal} 9007199254740991 `)],
  ["a number of nothing", edit("entries", `${goal} 1 `, `${goal} 0 `)],
  ["the goal of an entry", edit("entries", `${goal} 3 `, `${otherGoal} 3 `)],
  ["no goal of an entry", edit("entries", `${goal} 3 `, "- 3 ")],
  ["the digest of an entry", edit("entries", /[0-9a-f]{64}/, "0".repeat(64))],
  ["a digest in capitals", edit("entries", /[0-9a-f]{64}/, "A".repeat(64))],
  ["the index of an entry", edit("entries", /^4 /m, "5 ")],
  ["an index that is there twice", edit("entries", /^4 /m, "2 ")],
  ["an index that falls", edit("entries", /^2 /m, "7 ")],
  ["an index beyond the log", edit("entries", /^10 /m, "12 ")],
  ["an index of 2^53", edit("entries", /^10 /m, "9007199254740992 ")],
  ["an index of 2^63", edit("entries", /^10 /m, "9223372036854775808 ")],
  ["an index with a zero before", edit("entries", /^4 /m, "04 ")],
  ["an entry of another version", edit("entries", "sett/1", "sett/2")],
  ["an entry with two spaces", edit("entries", "sett/1 ", "sett/1  ")],
  ["an entry with a line feed of Windows", edit("entries", "\n", "\r\n")],
  ["entries with a mark of the order of bytes", edit("entries", /^/, "\xef\xbb\xbf")],
  ["an entry that is no UTF-8", edit("entries", "sett/1", "sett\xff1")],
  ["entries with an empty line", edit("entries", "\n", "\n\n")],
  ["entries without a line feed", edit("entries", /\n$/, "")],
  ["entries of nothing", write("entries", "")],
  ["no entries", remove("entries")],
  ["the first event removed whole", without(0, 0)],
  ["a middle event removed whole", without(2, 4)],
  ["the last event removed whole", without(5, 10)],
  ["two entries swapped", lines("entries", swap)],
  ["two events swapped", both(lines("entries", swap), lines("records.jsonl", swap))],
  ["an entry doubled", lines("entries", double)],
  ["another goal's events", edit("entries", new RegExp(goal, "g"), otherGoal)],
  ["a proof removed", remove(proof)],
  ["a proof changed", edit(proof, /^[^ ]{43}=$/m, `${"A".repeat(43)}=`)],
  ["a proof with a hash less", edit(proof, /^[^ ]{43}=\n/m, "")],
  ["a proof with a hash more", edit(proof, /^[^ ]{43}=\n/m, "$&$&")],
  ["a proof with 1000 hashes", edit(proof, "\n\n", `\n${`${"A".repeat(43)}=\n`.repeat(1000)}\n`)],
  ["a proof with loose base64", edit(proof, /^([^ ]{42})[^ ]=$/m, "$1B=")],
  ["a proof of another index", exchange(proof, "proofs/6.tlog-proof")],
  ["a proof with a huge index", edit(proof, "index 4", "index 9007199254740992")],
  ["a proof with extra data", edit(proof, "v1\n", "v1\nextra eA==\n")],
  ["a proof under another checkpoint", edit(proof, / [^ ]+\n$/, " AAAAAAAAAAA=\n")],
  ["a proof of nothing", write(proof, "")],
  ["a proof too many", write("proofs/5.tlog-proof", "x")],
  ["a proof of another name", write("proofs/04.tlog-proof", "x")],
  ["no note about the goal", remove("goal")],
  ["a note of nothing", write("goal", "")],
  ["a note about fewer events", about("events 5 log 12 state closed")],
  ["a note of an older log", about("events 6 log 11 state closed")],
  ["a note in another state", about("events 6 log 12 state done")],
  ["a note with a zero before", about("events 06 log 12 state open")],
  ["a note with a huge number", about("events 9007199254740992 log 12 state open")],
  ["a note with a line more", about("events 6 log 12 state open\nmore")],
  ["a note of a log that was begun anew", about(`${closed} after demo.sett.invalid/1 40`)],
  ["a note of a lost log of no size", about(`${closed} after demo.sett.invalid/1`)],
  ["a note of a lost log with a zero before", about(`${closed} after demo.sett.invalid/1 040`)],
  ["a note of a lost log of two names", about(`${closed} after demo sett 40`)],
  ["a note of a lost log of another name", about(`${closed} after d\u00e9mo 40`)],
  ["a note of a lost log without a name", about(`${closed} after  40`)],
  ["a note of a lost log of 2^53", about(`${closed} after demo 9007199254740992`)],
  ["a note that was changed", edit("goal", "closed", "open")],
  [
    "a note about another goal",
    note("goal", `sett/1 goal ${otherGoal} events 6 log 12 state open\n`),
  ],
  ["a note of another key", note("goal", "sett/1 goal x\n", stranger.signer)],
  ["the size of the checkpoint", edit("checkpoint", "\n12\n", "\n13\n")],
  ["a checkpoint with another root", head(12)],
  ["a checkpoint of nothing", head(0)],
  [
    "a checkpoint of size 2^53",
    note("checkpoint", `${signer.name}\n9007199254740992\n${root.toString("base64")}\n`),
  ],
  [
    "a checkpoint with a line more",
    note("checkpoint", `${signer.name}\n12\n${root.toString("base64")}\nx\n`),
  ],
  ["a checkpoint with another origin", head(12, "x")],
  ["a checkpoint with an odd origin", head(12, "\ufffd\u0085")],
  ["a checkpoint of another key", note("checkpoint", "x\n", stranger.signer)],
  ["no checkpoint", remove("checkpoint")],
  ["a checkpoint without a line feed", edit("checkpoint", /\n$/, "")],
  ["a checkpoint with a tab", edit("checkpoint", "\n12", "\t\n12")],
  ["a checkpoint that is no UTF-8", edit("checkpoint", /$/, "\xe2\x80\x94 \xff AAAAAAAA\n")],
  ["a signature with loose base64", edit("checkpoint", /$/, "\xe2\x80\x94 x AAAAAAB=\n")],
  ["a signature that is too short", edit("checkpoint", /$/, "\xe2\x80\x94 x AAAA\n")],
  ["a signature with a plus in its name", edit("checkpoint", /$/, "\xe2\x80\x94 x+ AAAAAAAA\n")],
  [
    "a signature with a space in its name",
    edit("checkpoint", /$/, "\xe2\x80\x94 x\xc2\x85 AAAAAAAA\n"),
  ],
  ["a second signature that is wrong", signedWith(Buffer.concat([signer.id, Buffer.alloc(64)]))],
  ["a second signature of another length", signedWith(Buffer.concat([signer.id, signer.id]))],
  ["101 signatures", edit("goal", /$/, "\xe2\x80\x94 x AAAAAAAA\n".repeat(100))],
  ["the artefact changed", write(artefactFile, "{}")],
  ["the artefact removed", remove(artefactFile)],
  ["an artefact that no event names", write(`artefacts/${goal}.json`, "{}")],
  ["an artefact without an id", write("artefacts/x.json", "{}")],
  ["an artefact with more before its id", write(`artefacts/x${artefact}.json`, "{}")],
  ["artefact and fact exchanged", exchange(artefactFile, factFile)],
  ["a fact changed", write(factFile, "{}")],
  ["a fact removed", remove(factFile)],
  ["a fact that no event names", write(`facts/${"0".repeat(64)}`, "{}")],
  ["a file of nothing", write("evil", "")],
  ["a file with a number", both(write("entries:3", ""), write("entries:20", ""))],
  ["a file in this folder", write("./goal", "x")],
  ["nothing at all", (files) => files.clear()],
];

const damagesOfAll: [name: string, change: Change][] = [
  ["an event removed whole, of all", without(4, 99)],
  ["the last event removed whole, of all", without(11, 99)],
  ["an entry changed, of all", edit("entries", "0000-7", "0000-8")],
  ["an entry that is malformed, of all", edit("entries", "0000-7", "0000/7")],
  ["two events swapped, of all", both(lines("entries", swap), lines("records.jsonl", swap))],
  ["a proof of a goal, of all", write("proofs/1.tlog-proof", "x")],
  ["a folder of proofs, of all", write("proofs/x", "x")],
  ["no entries, of all", remove("entries")],
  ["an empty line, of all", edit("entries", /$/, "\n")],
  ["another root, of all", head(12)],
  ["another size, of all", head(11)],
  ["an empty log, of all", both(head(0), remove("entries"), write("entries", ""))],
];

const whole = pack(ofGoal);
const whole2 = Buffer.concat([...ofGoal].map(([name, bytes]) => member(name, bytes)));
const with1 = (...more: Buffer[]) => Buffer.concat([whole2, ...more, end]);
const kind = (sign: string) => (header: Buffer) => {
  header.write(sign, 156);
};

const archives: [name: string, archive: Buffer][] = [
  ["nothing, of a goal", whole],
  ["nothing, of all", pack(ofAll)],
  [
    "a signature of another key beside it",
    packed(ofAll, edit("checkpoint", /$/, "\xe2\x80\x94 x AAAAAAAA\n")),
  ],
  ["a file order of another kind", pack(new Map([...ofGoal].reverse()))],
  ["an archive of nothing", Buffer.alloc(0)],
  ["an archive without a file", end],
  ["an archive of text", Buffer.from("x".repeat(4096))],
  ["an archive that was packed", gzipSync(whole)],
  ["an archive that is cut", whole.subarray(0, 5000)],
  ["an archive without its end", whole2],
  ["an archive with half its end", Buffer.concat([whole2, end.subarray(0, 512)])],
  ["something behind the end", Buffer.concat([whole, member("x", "y"), end])],
  ["a byte behind the end", Buffer.concat([whole, Buffer.from("x")])],
  ["zeros behind the end", Buffer.concat([whole, Buffer.alloc(700), Buffer.from("x")])],
  ["a name twice", with1(member("entries", ""))],
  ["a link", with1(member("x", "", kind("2")))],
  ["a hard link", with1(member("x", "", kind("1")))],
  ["a folder", with1(member("proofs/", "", kind("5")))],
  ["a folder of old times", with1(member("proofs/", ""))],
  ["a header of pax", with1(member("x", "11 path=ab\n", kind("x")), member("y", ""))],
  ["a long name of GNU", with1(member("././@LongLink", "x", kind("L")))],
  ["no name", with1(member("", ""))],
  ["an absolute name", with1(member("/x", ""))],
  ["a name upwards", with1(member("facts/../x", ""))],
  ["a name that is no ASCII", with1(member("\u00e9", ""))],
  ["a name with a line feed", with1(member("a\nb", ""))],
  ["a size of no number", with1(member("x", "", (header) => header.write("0x1", 124)))],
  ["a size in bits", with1(member("x", "", (header) => header.writeUInt8(0x80, 124)))],
  ["a huge size", with1(member("x", "", (header) => header.write("777777777777", 124)))],
  ["the magic of GNU", with1(member("x", "", (header) => header.write("ustar  \0", 257)))],
  ["a wrong checksum", with1(member("x", "").fill("y", 0, 1))],
];

function packed(bundle: ReadonlyMap<string, Uint8Array>, change: Change): Buffer {
  const files = new Map(bundle);
  change(files);
  return pack(files);
}

export const damages: readonly Damage[] = [
  ...archives.map(([name, archive]) => ({ name, archive })),
  ...damagesOfGoal.map(([name, change]) => ({ name, archive: packed(ofGoal, change) })),
  ...damagesOfAll.map(([name, change]) => ({ name, archive: packed(ofAll, change) })),
];
