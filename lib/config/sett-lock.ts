// sett.lock: which package each `use` was when a person has seen it. Pure.
import { type Document, parseDocument, stringify } from "yaml";
import { messageOf } from "../model/errors.ts";
import { type LockedPackage, LockFile } from "../model/package.ts";
import { parseWith } from "./sentences.ts";

/** It is beside the sett.yml, and committed with it. */
export const lockFile = "sett.lock";

/** By the words of `use`. */
export type SettLock = ReadonlyMap<string, LockedPackage>;

/** A sentence where the text is no sett.lock. Undefined text is that of a file that is missing. */
export function parseLock(
  text: string | undefined,
): { lock: SettLock; problem?: undefined } | { problem: string } {
  if (text === undefined || text.trim() === "") return { lock: new Map() };
  const document = parseDocument(text, { prettyErrors: false });
  const { data, error } = dataOf(document);
  if (error !== undefined) return { problem: brokenLock(error) };
  const parsed = parseWith(LockFile, data);
  if (parsed.isValid) return { lock: new Map(Object.entries(parsed.value.packages)) };
  const [mistake] = parsed.mistakes;
  return { problem: brokenLock(`${mistake?.path.join(".")} ${mistake?.sentence}`) };
}

/** A sentence for a sett.lock that is none. */
export function brokenLock(why: string): string {
  return `${lockFile} is not what sett has written (${why}): take it from git, or remove it and run \`sett up\``;
}

/** Aliases may lead to nothing, and to more than there is memory. */
function dataOf(document: Document): { data?: unknown; error?: string } {
  const [error] = document.errors;
  if (error !== undefined) return { error: error.message };
  try {
    return { data: document.toJS() };
  } catch (thrown) {
    return { error: messageOf(thrown) };
  }
}

const heading = `# What the packages of sett.yml are, and what they ask for. \`sett add\` and \`sett up\` write this file:
# commit it, and look at what changes in it.
`;

/** The same packages give the same text, whatever their order was. */
export function lockText(lock: SettLock): string {
  const packages = [...lock].sort(([one], [other]) => (one < other ? -1 : 1));
  const data = { version: "1.0", packages: Object.fromEntries(packages) };
  return heading + stringify(data, { lineWidth: 0, defaultStringType: "PLAIN" });
}
