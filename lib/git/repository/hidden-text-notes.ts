// Says which files have lines that a diff does not show: git calls a file binary for one zero byte,
// and a shell runs it all the same.
import type { CommitHash } from "../../model/ids.ts";
import { showName } from "../run/file-name.ts";
import type { PlainView } from "../run/plain-view.ts";

/**
 * The smallest are looked into first, because scripts are small. A person looks at fewer files, and
 * a script has less.
 */
const maxFiles = 2_000;
const maxBytes = 1024 * 1024;
const maxBytesOfAll = 32 * 1024 * 1024;
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
  const hashes = [...new Set(binary.flatMap((name) => blobs.get(name)?.hash ?? []))];
  const { texts, unread } = await textsAmong(view, hashes);
  const isIn = (some: ReadonlySet<string>) => (name: string) =>
    some.has(blobs.get(name)?.hash ?? "");
  const hidden = binary.filter(isIn(texts));
  const unseen = binary.filter(isIn(unread)).filter((name) => mayRun(name, blobs.get(name)?.mode));
  return [
    ...(hidden.length === 0
      ? []
      : [
          `The lines of ${listOf(hidden)} are not shown: git calls a text with zero bytes binary, and a program may read it.`,
        ]),
    ...(unseen.length === 0
      ? []
      : [`Whether ${listOf(unseen)} may be text was not looked at: too large, or too many.`]),
  ];
}

function listOf(names: readonly string[]): string {
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more files` : "";
  return `${names.slice(0, maxNames).map(showName).join(", ")}${more}`;
}

/** Pictures, archives and the like are large, and nothing runs them by their names. */
const ofMedia =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|pdf|mp[34]|m4a|mov|webm|ogg|wav|flac|zip|gz|tgz|xz|bz2|zst|7z|tar|jar|woff2?|ttf|otf|eot|docx|xlsx|pptx|sqlite|db|parquet|npy|bin)$/i;

function mayRun(name: string, mode: string | undefined): boolean {
  return mode === "100755" || !ofMedia.test(name);
}

/** Name → the blob that is there now, of files that are no links. */
function blobsIn(raw: string): Map<string, { hash: string; mode: string }> {
  const words = raw.split("\0");
  const blobs = new Map<string, { hash: string; mode: string }>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, mode = "", , hash = ""] = (words[at] ?? "").split(" ");
    if (mode.startsWith("100")) blobs.set(words[at + 1] ?? "", { hash, mode });
  }
  return blobs;
}

/** By hash: the blobs that are text but for zero bytes, and those that were not read. */
async function textsAmong(
  view: PlainView,
  hashes: readonly string[],
): Promise<{ texts: Set<string>; unread: Set<string> }> {
  const lines = (some: readonly string[]) => some.map((hash) => `${hash}\n`).join("");
  const sizes = (
    await view.run({ args: ["cat-file", "--batch-check=%(objectsize)"], stdin: lines(hashes) })
  ).split("\n");
  const bySize = hashes
    .map((hash, at) => ({ hash, size: Number(sizes[at]) }))
    .sort((one, other) => one.size - other.size);
  const small: string[] = [];
  let sum = 0;
  for (const { hash, size } of bySize.slice(0, maxFiles)) {
    sum += size;
    if (size > maxBytes || sum > maxBytesOfAll) break;
    small.push(hash);
  }
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
  return { texts, unread: new Set(hashes).difference(new Set(small)) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a text has few of these.
const ofNoText = /[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]/g;
const beyondAscii = /[\x80-\xff]/g;
/** A script works with odd bytes in its comments. Of a picture or a program they are a third. */
const oneOf = 10;

/** `content`: in latin1. Text in UTF-16 begins with a mark, and has zero bytes between letters. */
function isText(content: string): boolean {
  const rest = content.replaceAll("\0", "").replace(/^(?:\xff\xfe|\xfe\xff)/, "");
  if (rest.trim() === "") return false;
  if (rest.startsWith("#!")) return true;
  const bytes = Buffer.from(rest, "latin1");
  const isUtf8 = Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
  const count = (pattern: RegExp) => rest.match(pattern)?.length ?? 0;
  return (count(ofNoText) + (isUtf8 ? 0 : count(beyondAscii))) * oneOf <= rest.length;
}
