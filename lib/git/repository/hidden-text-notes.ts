// Says which files have lines that a diff does not show: git calls a file binary for one zero byte,
// and a shell runs it all the same.
import type { CommitHash } from "../../model/ids.ts";
import { showName } from "../run/file-name.ts";
import type { PlainView } from "../run/plain-view.ts";

/** More binary files than a person looks at, and a larger one than a script. */
const maxFiles = 100;
const maxBytes = 256 * 1024;
const maxNames = 5;
/** Names and contents are in latin1 here, one character for each byte. */
const encoding = "latin1" as const;

/** Sentences. Throws git-failed. */
export async function hiddenTextNotes(
  view: PlainView,
  from: string,
  commit: CommitHash,
): Promise<string[]> {
  const diff = (form: string) =>
    view.run({
      args: ["diff", form, "-z", "--no-renames", "--no-abbrev", from, commit, "--"],
      encoding,
    });
  const binary = (await diff("--numstat"))
    .split("\0")
    .flatMap((entry) => /^-\t-\t(.*)$/s.exec(entry)?.[1] ?? []);
  if (binary.length === 0) return [];
  const blobs = blobsIn(await diff("--raw"));
  const hashes = binary.slice(0, maxFiles).flatMap((name) => blobs.get(name) ?? []);
  const texts = await textsAmong(view, [...new Set(hashes)]);
  const hidden = binary.filter((name) => texts.has(blobs.get(name) ?? ""));
  if (hidden.length === 0) return [];
  const named = hidden.slice(0, maxNames).map(showName).join(", ");
  const more = hidden.length > maxNames ? ` and ${hidden.length - maxNames} more files` : "";
  return [
    `The lines of ${named}${more} are not shown: git calls a text with zero bytes binary, and a program may read it.`,
  ];
}

/** Name → the blob that is there now, of files that are no links. */
function blobsIn(raw: string): Map<string, string> {
  const words = raw.split("\0");
  const blobs = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, mode = "", , hash = ""] = (words[at] ?? "").split(" ");
    if (mode.startsWith("100")) blobs.set(words[at + 1] ?? "", hash);
  }
  return blobs;
}

/** Lists the blobs, by hash, that are text but for zero bytes. */
async function textsAmong(view: PlainView, hashes: readonly string[]): Promise<Set<string>> {
  const lines = (some: readonly string[]) => some.map((hash) => `${hash}\n`).join("");
  const sizes = (
    await view.run({ args: ["cat-file", "--batch-check=%(objectsize)"], stdin: lines(hashes) })
  ).split("\n");
  const small = hashes.filter((_, at) => Number(sizes[at]) <= maxBytes);
  const contents = await view.run({
    args: ["cat-file", "--batch=%(objectsize)"],
    stdin: lines(small),
    encoding,
  });
  const texts = new Set<string>();
  let at = 0;
  for (const hash of small) {
    const start = contents.indexOf("\n", at) + 1;
    const end = start + Number(contents.slice(at, start));
    if (isText(contents.slice(start, end))) texts.add(hash);
    at = end + 1;
  }
  return texts;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a text has none of these.
const ofNoText = /[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

/** `content`: in latin1. Text in UTF-16 begins with a mark, and has zero bytes between letters. */
function isText(content: string): boolean {
  const rest = content.replaceAll("\0", "").replace(/^(?:\xff\xfe|\xfe\xff)/, "");
  if (rest.trim() === "" || ofNoText.test(rest)) return false;
  const bytes = Buffer.from(rest, "latin1");
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}
