// Shows people what a command has printed: the end of it where it failed, and all of it where it is
// asked for.
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { failureReportIn, lastLines } from "../../../lib/core/failure-report.ts";
import { shownLines } from "../../../lib/core/terminal-text.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type KeptStream, type StreamName, streamNames } from "../../../lib/model/kept-output.ts";
import { type FailureReport, toolFailureType } from "../../../lib/model/tool-contract.ts";
import { formatCount } from "../../../lib/words/count.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const shownOfFailure = 30;

/** `keeps`: the streams that are on record as a whole. */
type Options = { out: Layout; suggest: Suggest; keeps: boolean };

/** Undefined for an artefact that is no report of a command which failed. */
export function failureText(
  artefact: Artefact,
  { out, suggest, keeps }: Options,
): string | undefined {
  const report = reportOf(artefact);
  if (report === undefined) return undefined;
  const printed = streamNames.filter((name) => report[name].trim() !== "").toReversed();
  const parts = printed.map((name) => endOf(name, report[name], out));
  const all = keeps
    ? [out.style.dim(`all of it: ${suggest(`unearth ${shortId(artefact.id)} --streams`)}`)]
    : [];
  return [endingOf(report), ...parts, ...all].join("\n");
}

function reportOf({ type, payload }: Artefact): FailureReport | undefined {
  return type === toolFailureType ? failureReportIn(payload) : undefined;
}

function endingOf({ exit_code, signal, timed_out, duration_ms }: FailureReport): string {
  if (duration_ms === null) return "The command did not run.";
  const after = `after ${(duration_ms / 1_000).toFixed(1)} s`;
  if (timed_out) return `Its time was over ${after}.`;
  if (signal !== null) return `It was ended by ${signal} ${after}.`;
  return exit_code === null ? `It ended ${after}.` : `Exit code ${exit_code} ${after}.`;
}

function endOf(name: StreamName, text: string, out: Layout): string {
  const end = lastLines(text, shownOfFailure);
  const title = end.length === text.length ? name : `${name}, its last ${shownOfFailure} lines`;
  return `${out.style.dim(title)}\n${quotedLines(shownLines(end), out).join("\n")}`;
}

/** `bytes`: undefined where it is not kept any more. */
export type ReadStream = KeptStream & { name: StreamName; content: Uint8Array | undefined };

/** Ends with a line break. */
export function streamsText(streams: readonly ReadStream[], out: Layout): string {
  return streams
    .map(({ name, bytes, left_out, content }) => {
      const cut = left_out === undefined ? "" : `, ${formatCount(left_out)} of them left out`;
      const title = out.style.dim(`${name} (${formatCount(bytes)} bytes${cut})`);
      if (content === undefined) return `${title}\nIt is not kept.\n`;
      const text = shownLines(new TextDecoder().decode(content));
      return `${title}\n${quotedLines(text, out).join("\n")}\n`;
    })
    .join("\n");
}

/** The bytes as they were, as text where they are valid UTF-8. */
export function streamsJson(id: string, streams: readonly ReadStream[]) {
  const named = streams.map(({ name, content, ...stream }) => [
    name,
    { ...stream, ...contentJson(content) },
  ]);
  return { artefact_id: id, ...Object.fromEntries(named) };
}

function contentJson(content: Uint8Array | undefined) {
  if (content === undefined) return { missing: true };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content) };
  } catch {
    return { base64: Buffer.from(content).toString("base64") };
  }
}
