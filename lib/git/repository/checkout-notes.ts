// Says what the attributes of a commit do to the files that it changes: a checkout may have other
// bytes than a diff shows, and later diffs may show nothing.
import type { CommitHash } from "../../model/ids.ts";
import { showName, textOf } from "../run/file-name.ts";
import type { PlainView } from "../run/plain-view.ts";
import { comparableNames, foldersAbove, namesAtOnce } from "./comparable-names.ts";

/** The attributes in more folders are not read. */
const maxFolders = 20_000;
const maxNames = 5;

/**
 * Names of files are in latin1 here, one character for each byte. An argument of git cannot have
 * all of them.
 */
const encoding = "latin1" as const;

type Attributes = ReadonlyMap<string, string>;
type Rule = {
  attribute: string;
  isMeant: (value: string) => boolean;
  sentence: (files: string, setting: string) => string;
};

const isSet = (value: string) => value !== "unspecified" && value !== "unset";
const otherBytes: Rule["sentence"] = (files, setting) =>
  `A checkout of ${files} has other bytes than are shown here, because .gitattributes says ${setting}.`;

const rules: readonly Rule[] = [
  {
    attribute: "working-tree-encoding",
    isMeant: (value) => isSet(value) && !/^utf-?8$/i.test(value),
    sentence: otherBytes,
  },
  { attribute: "filter", isMeant: isSet, sentence: otherBytes },
  { attribute: "ident", isMeant: (value) => value === "set", sentence: otherBytes },
  { attribute: "eol", isMeant: (value) => value === "crlf", sentence: otherBytes },
  {
    attribute: "diff",
    isMeant: (value) => value === "unset",
    sentence: (files) =>
      `Once merged, its .gitattributes (-diff) lets your own git hide changes of ${files}.`,
  },
  {
    attribute: "merge",
    isMeant: (value) => value === "union",
    sentence: (files) =>
      `Once merged, its .gitattributes (merge=union) lets your own git merge ${files} without a conflict.`,
  },
  ...["linguist-generated", "gitlab-generated"].map(
    (attribute): Rule => ({
      attribute,
      isMeant: (value) => value === "set" || value === "true",
      sentence: (files, setting) =>
        `Its .gitattributes (${setting}) lets a forge fold the changes of ${files}.`,
    }),
  ),
];

/**
 * Sentences. The attributes are those in the tree of `commit`; files without lines may be hidden
 * from diffs. Throws git-failed.
 */
export async function checkoutNotes(
  view: PlainView,
  from: string,
  commit: CommitHash,
): Promise<string[]> {
  const all = namesIn(
    await view.run({
      args: ["diff", "--name-only", "-z", "--no-renames", "--diff-filter=d", from, commit, "--"],
      encoding,
    }),
  );
  const files = comparableNames(all);
  const folders = [...new Set(files.flatMap(foldersAbove))];
  const read = folders.slice(0, maxFolders);
  const attributes = await attributesOf(view, commit, files, read);
  const notes: string[] = [];
  for (const { attribute, isMeant, sentence } of rules) {
    const byValue = new Map<string, string[]>();
    for (const file of files) {
      const value = attributes.get(file)?.get(attribute);
      if (value !== undefined && isMeant(value))
        byValue.set(value, [...(byValue.get(value) ?? []), file]);
    }
    for (const [value, found] of byValue) {
      const meant = attribute === "diff" ? await withLines(view, from, commit, found) : found;
      if (meant.length > 0) notes.push(sentence(listOf(meant), settingOf(attribute, value)));
    }
  }
  if (all.length > files.length)
    notes.push(
      `Attributes were read for ${files.length} of its ${all.length} files only: they are too many, or their names too long.`,
    );
  if (folders.length > read.length)
    notes.push(
      `Attributes were read in ${read.length} of the ${folders.length} folders of its files only.`,
    );
  return notes;
}

async function attributesOf(
  view: PlainView,
  commit: CommitHash,
  files: readonly string[],
  folders: readonly string[],
): Promise<Map<string, Attributes>> {
  const found = new Map<string, Map<string, string>>();
  const entries = await attributeFiles(view, commit, folders);
  if (entries === "") return found;
  // A checkout reads them from its index.
  await view.run({ args: ["update-index", "-z", "--index-info"], stdin: entries });
  const args = [
    "check-attr",
    "--cached",
    "-z",
    "--stdin",
    ...rules.map(({ attribute }) => attribute),
  ];
  const words = (
    await view.run({ args, stdin: files.map((file) => `${file}\0`).join(""), encoding })
  ).split("\0");
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [file = "", attribute = "", value = ""] = words.slice(at, at + 3);
    found.set(file, (found.get(file) ?? new Map<string, string>()).set(attribute, value));
  }
  return found;
}

/**
 * As `update-index` reads them. Only those in folders above the files: a tree can have more files
 * than fit into an index.
 */
async function attributeFiles(
  view: PlainView,
  commit: CommitHash,
  folders: readonly string[],
): Promise<string> {
  const names = folders.flatMap((folder) => textOf(`${folder}.gitattributes`) ?? []);
  let entries = "";
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const args = [
      "--literal-pathspecs",
      "ls-tree",
      "-z",
      commit,
      "--",
      ...names.slice(at, at + namesAtOnce),
    ];
    const listed = (await view.run({ args }))
      .split("\0")
      .filter((entry) => /^1\d+ blob /.test(entry));
    entries += listed.map((entry) => `${entry}\0`).join("");
  }
  return entries;
}

/** A diff of a binary file shows nothing with or without attributes. */
async function withLines(
  view: PlainView,
  from: string,
  commit: CommitHash,
  files: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < files.length; at += namesAtOnce) {
    const wanted = new Set(files.slice(at, at + namesAtOnce));
    const texts = [...wanted].map(textOf);
    // git is asked for all files if it cannot be asked for one of them alone.
    const names = texts.includes(undefined) ? [] : texts.flatMap((text) => text ?? []);
    const args = [
      "--literal-pathspecs",
      "diff",
      "--numstat",
      "-z",
      "--no-renames",
      from,
      commit,
      "--",
      ...names,
    ];
    for (const line of namesIn(await view.run({ args, encoding }))) {
      const [, added, name] = /^(\d+|-)\t(?:\d+|-)\t(.*)$/s.exec(line) ?? [];
      if (name !== undefined && wanted.has(name) && added !== "-") found.push(name);
    }
  }
  return found;
}

function namesIn(output: string): string[] {
  return output.split("\0").filter((name) => name !== "");
}

function listOf(files: readonly string[]): string {
  const named = files.slice(0, maxNames).map(showName).join(", ");
  return files.length > maxNames ? `${named} and ${files.length - maxNames} more files` : named;
}

function settingOf(attribute: string, value: string): string {
  return value === "set" ? attribute : `${attribute}=${showName(value)}`;
}
