// Shows a witness (c2sp.org/tlog-witness) what the notary has signed, so that it signs it, too.
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { readCount } from "../../../lib/proof/formats.ts";
import { readNote, readSignature } from "../../../lib/proof/note.ts";
import { cosignedAt, type Policy, seenBy } from "../../../lib/proof/outside/witnesses.ts";
import { askOutside } from "./ask-outside.ts";
import { requireNow } from "./require-now.ts";

/** `lines`: signatures of witnesses, for the end of the note. */
export type Cosigned = { lines: string; at: Date; by: string };
type Order = {
  url: string;
  checkpoint: string;
  size: number;
  /** How the first entries, so many as are given, are the beginning of all: lines of hashes. */
  consistency: (from: number) => Promise<string>;
  /** Where there is one, a signature counts only if one of its witnesses has made it. */
  policy: Policy | undefined;
  signal: AbortSignal;
  patienceMs?: number;
};

/** Throws `usage` and `not-ready`. */
export async function askWitness(order: Order): Promise<Cosigned> {
  const first = await ask(order, 0);
  const known = first.status === 409 ? readCount(first.body.toString().trim()) : undefined;
  if (known !== undefined && known > order.size)
    throw refusal(order, {
      why: `It has seen a log of ${known} entries, and this one has ${order.size}.`,
      hint: "Was the instance brought back from a copy? docs/guides/proof.md says how to go on.",
    });
  const answer = known === undefined || known === 0 ? first : await ask(order, known);
  if (answer.status === 200) return signaturesIn(answer.body.toString(), order);
  throw refusal(
    order,
    reasons[answer.status] ?? { why: `It answers with status ${answer.status}.` },
  );
}

type Reason = { why: string; hint?: string };
const reasons: Readonly<Record<number, Reason>> = {
  403: {
    why: "It knows another key for this log.",
    hint: "Give its operator the key of the log: sett audit key",
  },
  404: {
    why: "It does not know this log.",
    hint: "Give its operator the key of the log: sett audit key",
  },
  422: {
    why: "This log is not the one that it has seen.",
    hint: "Compare with what others have kept: sett audit verify FILE --key KEY --repository .",
  },
};

async function ask({ url, checkpoint, consistency, ...how }: Order, known: number) {
  const lines = known === 0 ? "" : await consistency(known);
  const body = `old ${known}\n${lines}\n${checkpoint}`;
  const at = `${url.replace(/\/$/, "")}/add-checkpoint`;
  return await askOutside({ url: at, body, type: "text/plain; charset=utf-8", ...how });
}

function signaturesIn(text: string, order: Order): Cosigned {
  const { checkpoint, policy, url } = order;
  const lines = text.split("\n").filter((line) => isOfWitness(line));
  const note = readNote(`${checkpoint}${lines.map((line) => `${line}\n`).join("")}`);
  const [first] = lines;
  if (first === undefined || note === undefined)
    throw refusal(order, { why: "It answers with no signature of a witness." });
  const { name = "", bytes } = readSignature(first) ?? {};
  const seen = [...(policy?.witnesses ?? [])].flatMap(([by, witness]) => {
    const at = seenBy(witness, note.text, note.signatures);
    return at === undefined ? [] : [{ by, at }];
  });
  if (policy !== undefined && (seen.length === 0 || seen.some(({ at }) => at === "wrong")))
    throw refusal(order, { why: "Its signature is not that of a witness of the policy." });
  const stated = bytes && cosignedAt(bytes);
  const [known] = seen.flatMap(({ by, at }) => (at === "wrong" ? [] : [{ by, at }]));
  const { at, by } = known ?? { at: stated, by: name };
  if (at === undefined) throw refusal(order, { why: "It states no time." });
  requireNow(at, url);
  return { lines: lines.map((line) => `${line}\n`).join(""), at, by };
}

/** Lines by other kinds of keys are left out: no verifier here would know them. */
function isOfWitness(line: string): boolean {
  const signature = readSignature(line);
  return signature !== undefined && cosignedAt(signature.bytes) !== undefined;
}

function refusal({ url }: Order, { why, hint }: Reason): SettError {
  return new SettError("not-ready", `The witness ${oneLine(url)} has not signed. ${why}`, {
    hint: hint ?? "Nothing of it was kept. Name a witness of c2sp.org/tlog-witness: --witness URL",
  });
}
