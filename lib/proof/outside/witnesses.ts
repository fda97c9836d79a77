// Witnesses of a log (c2sp.org/tlog-cosignature), and who of them must have seen it
// (c2sp.org/tlog-policy). Pure.
import { Buffer, isUtf8 } from "node:buffer";
import { verify } from "node:crypto";
import {
  cosigning,
  type NoteSignature,
  readVerifierKey,
  signaturesBy,
  type VerifierKey,
} from "../note.ts";

/** `names`: of the witnesses that have seen a log, as the policy names them. */
type Rule = (names: ReadonlySet<string>) => boolean;
export type Policy = {
  logs: readonly VerifierKey[];
  witnesses: ReadonlyMap<string, VerifierKey>;
  /** Undefined where it asks for none. */
  quorum: Rule | undefined;
};

const timeBytes = 8;
const signatureBytes = 64;
/** The last second that a date of JavaScript has. */
const maxSeconds = 8_640_000_000_000n;

/**
 * When a witness has seen the text of a checkpoint: the first such signature. `wrong` where one
 * that names the key is not right, undefined where none does.
 */
export function seenBy(
  witness: VerifierKey,
  text: string,
  signatures: readonly NoteSignature[],
): Date | "wrong" | undefined {
  const times = signaturesBy(witness, signatures).map((bytes) => {
    const at = cosignedAt(bytes);
    if (at === undefined) return undefined;
    const message = Buffer.from(`cosignature/v1\ntime ${at.getTime() / 1_000}\n${text}`);
    const isRight = verify(null, message, witness.publicKey, bytes.subarray(timeBytes));
    return isRight ? at : undefined;
  });
  return times.includes(undefined) ? "wrong" : times[0];
}

/** The time that a cosignature states; undefined where it has not the form of one. */
export function cosignedAt(bytes: Buffer): Date | undefined {
  if (bytes.length !== timeBytes + signatureBytes) return undefined;
  const seconds = bytes.readBigUInt64BE();
  return seconds > maxSeconds ? undefined : new Date(Number(seconds) * 1_000);
}

/** A sentence in its place names the line that is wrong. */
export function readPolicy(content: string | Buffer): Policy | string {
  if (typeof content !== "string" && !isUtf8(content)) return "It is no UTF-8.";
  const text = content.toString();
  const logs: VerifierKey[] = [];
  const witnesses = new Map<string, VerifierKey>();
  const rules = new Map<string, Rule>();
  const members = new Set<string>();
  let quorum: { rule: Rule | undefined } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const wrong = (what: string) => `Line ${at + 1} ${what}.`;
    const words = line.split(/[ \t]+/).filter((word) => word !== "");
    const [kind = "#", name = "", third = ""] = words;
    const isNew = name !== "none" && !rules.has(name);
    if (kind.startsWith("#")) continue;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format allows no others.
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) return wrong("has a control character");
    if (kind === "log" && words.length <= 3) {
      const key = readVerifierKey(name);
      if (key === undefined || isIn(logs, key)) return wrong("has no key of a log, or one twice");
      logs.push(key);
    } else if (kind === "witness" && isNew && words.length <= 4) {
      const key = readVerifierKey(third, cosigning);
      if (key === undefined || isIn([...witnesses.values()], key))
        return wrong("has no key of a witness with Ed25519, or one twice");
      witnesses.set(name, key);
      rules.set(name, (names) => names.has(name));
    } else if (kind === "group" && isNew && words.length >= 4) {
      const rule = groupOf(third, words.slice(3), rules, members);
      if (rule === undefined) return wrong("is no group of what is named before it, each once");
      rules.set(name, rule);
    } else if (kind === "quorum" && quorum === undefined && words.length === 2) {
      quorum = { rule: rules.get(name) };
      if (isNew) return wrong("asks for what is not named before it");
    } else return wrong("is not as c2sp.org/tlog-policy has it");
  }
  if (quorum === undefined) return "It has no quorum.";
  return { logs, witnesses, quorum: quorum.rule };
}

function isIn(keys: readonly VerifierKey[], { publicKey }: VerifierKey): boolean {
  return keys.some((key) => key.publicKey.equals(publicKey));
}

/** `members`: those that are in a group by now, since each may be in one alone. */
function groupOf(
  count: string,
  names: readonly string[],
  rules: ReadonlyMap<string, Rule>,
  members: Set<string>,
): Rule | undefined {
  const counts: Record<string, number> = { any: 1, all: names.length };
  const needed = counts[count] ?? (/^[1-9]\d{0,8}$/.test(count) ? Number(count) : 0);
  if (needed < 1 || needed > names.length) return undefined;
  const parts: Rule[] = [];
  for (const name of names) {
    const rule = rules.get(name);
    if (rule === undefined || members.has(name)) return undefined;
    members.add(name);
    parts.push(rule);
  }
  return (seen) => parts.filter((part) => part(seen)).length >= needed;
}
