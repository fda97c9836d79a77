// Looks for secrets in what a push would bring: contents, names of files, authors and messages, as
// git stores them.
import { Buffer } from "node:buffer";

/** Tokens in the forms that forges and providers give them. */
const known =
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,}|glpat-[\w-]{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{20,}|sk-ant-[\w-]{40,})|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/** A known form may begin in one piece and end in the next. */
const keptBytes = 512;

/** Values of fewer bytes are no secrets: they would be found by chance. */
const minBytes = 8;

/** `found`: what it is, in words that have no part of it; undefined as long as there is nothing. */
export class ValueFinder {
  found: string | undefined;
  readonly #needles: { name: string; bytes: Buffer }[];
  readonly #kept: number;
  #rest = Buffer.alloc(0);

  /** `values`: name → value. */
  constructor(values: ReadonlyMap<string, Buffer>) {
    this.#needles = [...values].flatMap(([name, value]) =>
      formsOf(value).map((bytes) => ({ name, bytes })),
    );
    this.#kept = Math.max(keptBytes, ...this.#needles.map(({ bytes }) => bytes.length));
  }

  add(piece: Uint8Array): void {
    if (this.found !== undefined) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    const needle = this.#needles.find((one) => bytes.includes(one.bytes));
    if (needle !== undefined) this.found = `the value of the secret ${needle.name}`;
    else if (known.test(bytes.toString("latin1"))) this.found = "what looks like a token or a key";
    this.#rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#kept)));
  }
}

/** As it is, and in the encodings by which it could leave by accident. */
function formsOf(value: Buffer): Buffer[] {
  const text = value.toString("latin1").trim();
  if (text.length < minBytes) return [];
  const plain = Buffer.from(text, "latin1");
  // Of base64, what does not depend on the bytes before and after.
  const inBase64 = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), plain]).toString("base64");
    return padded.slice(offset === 0 ? 0 : offset + 1).replace(/.{0,2}=*$/, "");
  });
  const forms = [text, ...inBase64, plain.toString("hex"), encodeURIComponent(text)];
  return [...new Set(forms)]
    .filter((form) => form.length >= minBytes)
    .map((form) => Buffer.from(form, "latin1"));
}
