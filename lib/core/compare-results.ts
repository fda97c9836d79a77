// Compares the result of a command that was run again with the one on record: what an agent decides
// counts, and neither ids nor times.
import type { Artefact } from "../model/artefact.ts";
import type { ComparableResult } from "../model/examination.ts";
import { toolFailureType } from "../model/tool-contract.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import { failureReportIn } from "./failure-report.ts";

/** A longer text is compared by its digest alone. There may be many pieces. */
const [maxTextLength, maxTextOfPiece] = [64 * 1024, 4 * 1024];

/** Is written for the hash of the result's own commit, which has a time in it. */
const ownCommit = "(its own commit)";

/** Sett's own. The commit is compared by its files, the pieces by themselves. */
const ownMetadata = new Set(["summary", "commit", "changed_paths", "pieces"]);

type Content = Pick<Artefact, "type" | "payload" | "metadata">;

/** `tree`: of the artefact's commit. `pieces`: of a list, each with its key. */
type Beside = { tree?: string | undefined; pieces?: readonly (Content & { key: string })[] };

/** `digestOf`: SHA-256 in hexadecimal digits. */
export function comparableResult(
  artefact: Content & Pick<Artefact, "structural_type">,
  { tree, pieces = [] }: Beside,
  digestOf: (text: string) => string,
): ComparableResult {
  const { commit } = artefact.metadata;
  const textOf = (text: string, maxLength: number) => {
    const own = commit === undefined ? text : text.replaceAll(commit, ownCommit);
    return {
      digest: digestOf(own),
      ...withoutUndefined({ text: own.length > maxLength ? undefined : own }),
    };
  };
  const contentOf = ({ type, payload, metadata }: Content, maxLength: number) => {
    const added = Object.entries(metadata).filter(([name]) => !ownMetadata.has(name));
    return {
      type,
      summary: textOf(metadata.summary ?? "", maxLength),
      payload: textOf(type === toolFailureType ? lastingPart(payload) : payload, maxLength),
      metadata: textOf(sortedJson(Object.fromEntries(added)), maxLength),
    };
  };
  return {
    structural_type: artefact.structural_type,
    ...contentOf(artefact, maxTextLength),
    ...withoutUndefined({ tree }),
    pieces: pieces.map((piece) => ({ key: piece.key, ...contentOf(piece, maxTextOfPiece) })),
  };
}

/**
 * A command that fails twice in the same way prints other times and other addresses: how it ended
 * counts, and not all that it has printed.
 */
function lastingPart(payload: string): string {
  const report = failureReportIn(payload);
  if (report === undefined) return payload;
  const { reason, exit_code, signal, timed_out } = report;
  return sortedJson({ reason, exit_code, signal, timed_out });
}

/** The same text for the same content, with one line for each member. */
function sortedJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    2,
  );
}

/** `recorded`, `now`: undefined where the text is too long to be shown, or is not there. */
export type ResultDifference = {
  what: string;
  recorded: string | undefined;
  now: string | undefined;
};

/** Nothing: the results are the same. */
export function differencesOf(
  recorded: ComparableResult,
  now: ComparableResult,
): ResultDifference[] {
  const found: ResultDifference[] = [];
  const compare = (what: string, one: string | undefined, other: string | undefined) => {
    if (one !== other) found.push({ what, recorded: one, now: other });
  };
  const compareTexts = (what: string, one: Text, other: Text) => {
    if (one.digest !== other.digest) found.push({ what, recorded: one.text, now: other.text });
  };
  compare("structural type", recorded.structural_type, now.structural_type);
  compare("type", recorded.type, now.type);
  compareTexts("summary", recorded.summary, now.summary);
  compareTexts("payload", recorded.payload, now.payload);
  compareTexts("metadata", recorded.metadata, now.metadata);
  compare("files of the commit", recorded.tree, now.tree);
  const keysOf = ({ pieces }: ComparableResult) => pieces.map(({ key }) => key).join("\n");
  compare("pieces", keysOf(recorded), keysOf(now));
  for (const piece of recorded.pieces) {
    const other = now.pieces.find(({ key }) => key === piece.key);
    if (other === undefined) continue;
    compare(`type of piece ${piece.key}`, piece.type, other.type);
    compareTexts(`summary of piece ${piece.key}`, piece.summary, other.summary);
    compareTexts(`payload of piece ${piece.key}`, piece.payload, other.payload);
    compareTexts(`metadata of piece ${piece.key}`, piece.metadata, other.metadata);
  }
  return found;
}

type Text = ComparableResult["payload"];
