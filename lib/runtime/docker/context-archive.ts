// The tar archive of a build context, as it goes to the Engine.
import { Buffer } from "node:buffer";
import fs from "node:fs";
import { Readable } from "node:stream";
import { type PackOptions, pack } from "tar-fs";
import { type ContextEntry, isGone } from "./build-context.ts";

const ignoreFile = ".dockerignore";

/**
 * `added`: a file that is not in the folder, and that no step sees. The stream fails where a file
 * cannot be read.
 */
export function contextArchive(
  contextDir: string,
  entries: readonly ContextEntry[],
  added?: { name: string; text: Uint8Array },
): Readable {
  const hidden = [
    ...entries.filter(({ isHidden }) => isHidden).map(({ path }) => path),
    ...(added === undefined ? [] : [added.name]),
  ];
  // The Engine reads this file once more, by its own rules. Where no step sees it, it need only say
  // what no step sees.
  const isReplaced =
    added !== undefined ||
    (hidden.length > 0 && !entries.some(({ path, isHidden }) => path === ignoreFile && !isHidden));
  const modes = new Map(entries.map(({ path, stats }) => [path, stats.mode]));
  // The library's types do not know `fs`.
  const options: PackOptions & { fs: object } = {
    entries: entries.flatMap(({ path }) => (isReplaced && path === ignoreFile ? [] : [path])),
    // Each file in a folder is an entry of its own.
    ignore: () => true,
    fs: { ...fs, lstat: lstatOrNothing },
    // What is neither a file, a folder nor a link is passed over.
    strict: false,
    // The library would take the bits of this process's umask away.
    map: (header) => ({
      ...header,
      mode: modes.get(header.name) ?? header.mode,
      mtime: timeIn(header.mtime),
      uid: 0,
      gid: 0,
    }),
    finalize: false,
    finish: (archive) => {
      if (added !== undefined) archive.entry({ name: added.name }, Buffer.from(added.text));
      if (isReplaced)
        archive.entry(
          { name: ignoreFile },
          [...new Set([ignoreFile, ...hidden])].map(literal).join("\n"),
        );
      archive.finalize();
    },
  };
  return Readable.from(pack(contextDir, options));
}

/** Gives for what has been removed meanwhile what the library passes over. */
function lstatOrNothing(
  path: fs.PathLike,
  give: (error: NodeJS.ErrnoException | null, stats: fs.Stats) => void,
): void {
  fs.lstat(path, (error, stats) => {
    if (isGone(error)) fs.lstat("/dev/null", give);
    else give(error, stats);
  });
}

/** There are files with times before 1970, and the library writes none after 2038. */
const lastTimeMs = (2 ** 31 - 1) * 1_000;

function timeIn(time: Date | undefined): Date {
  return new Date(Math.min(Math.max(time?.getTime() ?? 0, 0), lastTimeMs));
}

function literal(path: string): string {
  return `/${path.replace(/[*?[\]\\]/g, "\\$&")}`;
}
