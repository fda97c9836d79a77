// The payload of a ToolExecutionFailure: how a tool ended, with the beginning and the end of its
// output.
import { FailureReport } from "../model/tool-contract.ts";
import { parseFlat } from "./json-text.ts";
import { withoutEscapes, withoutSilent } from "./terminal-text.ts";

/** Kept of each end of stdout and stderr; what is between them is left out. */
const keptBytes = 64 * 1024;

export type ToolEnd = {
  reason: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Null when the tool never started. */
  durationMs: number | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
};

/**
 * Bytes that are no UTF-8 become U+FFFD; a long output says how many bytes were left out of its
 * middle.
 */
export function failureReport(end: ToolEnd): FailureReport {
  return {
    reason: end.reason,
    exit_code: end.exitCode,
    signal: end.signal,
    timed_out: end.timedOut,
    duration_ms: end.durationMs === null ? null : Math.round(end.durationMs),
    stdout: shortenedOutput(end.stdout, keptBytes),
    stderr: shortenedOutput(end.stderr, keptBytes),
  };
}

/** Undefined for a payload that is no such report: agents post Failures of their own as well. */
export function failureReportIn(payload: string): FailureReport | undefined {
  return FailureReport.safeParse(parseFlat(payload, reportMembers)).data;
}

const reportMembers = Object.keys(FailureReport.shape).length;

const maxLineLength = 200;

/**
 * The last line of a tool's output that is not blank, which most often says why it ended: without
 * colours and control characters, and of a long line only the end. With that before it where git
 * says the reason there. Empty when there is none.
 */
export function lastLine(bytes: Uint8Array): string {
  const from = characterStart(bytes, Math.max(0, bytes.byteLength - 4 * maxLineLength));
  const end = new TextDecoder().decode(bytes.subarray(from));
  const text = withoutEscapes(withoutSilent(end));
  const [before = "", last = ""] = ["", "", ...text.split(/[\r\n]+/).filter(isText)].slice(-2);
  // The last line of git says that it has failed, and the one before it says why.
  const said =
    before.startsWith("error: ") && last.startsWith("fatal: ") ? `${before}; ${last}` : last;
  const plain = said.replace(/\p{Cc}+/gu, " ").trim();
  return plain.length <= maxLineLength
    ? plain
    : `…${plain.slice(1 - maxLineLength).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

function isText(line: string): boolean {
  return line.trim() !== "";
}

/** The beginning and the end, of `keptBytes` each, of an output that is longer than both. */
export function shortenedOutput(bytes: Uint8Array, keptBytes: number): string {
  const decode = (part: Uint8Array) => new TextDecoder().decode(part);
  const cut = cutMiddle(bytes, keptBytes);
  if (cut === undefined) return decode(bytes);
  return `${decode(cut.head)}${countLine(cut.leftOut)}${decode(cut.tail)}`;
}

/**
 * An output as the record keeps it: byte for byte, or its beginning and its end with the count of
 * the bytes between. `leftOut`: that count.
 */
export function boundedOutput(
  bytes: Uint8Array,
  maxBytes: number,
): { kept: Uint8Array; leftOut: number } {
  if (bytes.byteLength <= maxBytes) return { kept: bytes, leftOut: 0 };
  const cut = cutMiddle(bytes, Math.floor(maxBytes / 2));
  if (cut === undefined) return { kept: bytes, leftOut: 0 };
  const line = new TextEncoder().encode(countLine(cut.leftOut));
  const kept = new Uint8Array(cut.head.byteLength + line.byteLength + cut.tail.byteLength);
  kept.set(cut.head);
  kept.set(line, cut.head.byteLength);
  kept.set(cut.tail, cut.head.byteLength + line.byteLength);
  return { kept, leftOut: cut.leftOut };
}

/** The last lines of an output, as they were, with their line ends. */
export function lastLines(text: string, count: number): string {
  let from = text.length;
  for (let lines = 0; from > 0; from -= 1) {
    if (text[from - 1] !== "\n" || from === text.length) continue;
    lines += 1;
    if (lines === count) break;
  }
  return text.slice(from);
}

function countLine(leftOut: number): string {
  return `\n[… ${leftOut} bytes left out …]\n`;
}

/** Undefined where the bytes are not longer than both ends. */
function cutMiddle(
  bytes: Uint8Array,
  keptBytes: number,
): { head: Uint8Array; tail: Uint8Array; leftOut: number } | undefined {
  if (bytes.byteLength <= 2 * keptBytes) return undefined;
  const headEnd = characterStart(bytes, keptBytes);
  const tailStart = characterStart(bytes, bytes.byteLength - keptBytes);
  return {
    head: bytes.subarray(0, headEnd),
    tail: bytes.subarray(tailStart),
    leftOut: tailStart - headEnd,
  };
}

/**
 * Moves a cut back to the beginning of the UTF-8 character it falls into; at most three bytes, for
 * text that is no UTF-8.
 */
function characterStart(bytes: Uint8Array, cut: number): number {
  for (let at = cut; at > cut - 4; at--) {
    const isContinuation = ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000;
    if (!isContinuation) return at;
  }
  return cut;
}
