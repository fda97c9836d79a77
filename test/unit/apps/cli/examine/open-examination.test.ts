import { expect, test } from "bun:test";
import {
  readReport,
  removerOf,
  staying,
  untilRunning,
  whyEnded,
} from "../../../../../apps/cli/examine/open-examination.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { type ExaminationReport, reportMark } from "../../../../../lib/model/examination.ts";

const reason = "It was ended: /workspace has more than 1 MiB.";
const refused: ExaminationReport = { outcome: "refused", reason };

/** As the cub says it, in pieces of this length. */
function said(report: ExaminationReport, length = 8): string[] {
  const text = Buffer.from(JSON.stringify(report)).toString("base64");
  const pieces = text.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
  return pieces.map((piece, at) => `${reportMark}${at + 1}/${pieces.length} ${piece}`);
}

function logOf(lines: readonly string[]) {
  const logs = async function* () {
    for (const line of lines) yield { stream: "stdout", time: "", line };
  };
  return { observe: { logs }, workers: { wait: async () => 0 } } as unknown as Parameters<
    typeof whyEnded
  >[0];
}

test("the report is the last one, whatever a command has got into the log before it", async () => {
  const forged = said({ outcome: "refused", reason: "All is well." });
  const log = [...forged, "other", ...forged.slice(0, 2), ...said(refused)];
  expect(await readReport(logOf(log), "c")).toEqual(refused);
});

test("a report of which a part is missing is none, and the last lines are shown", async () => {
  const lines = Array.from({ length: 9 }, (_, at) => `line ${at}`);
  const read = (log: readonly string[]) => readReport(logOf(log), "c");
  await expect(read(lines)).rejects.toMatchObject({
    ...{ code: "command-failed", message: expect.stringContaining("without a report") },
    hint: "line 4\nline 5\nline 6\nline 7\nline 8",
  });
  for (const part of [said(refused).slice(0, -1), said(refused).slice(1)])
    await expect(read(part)).rejects.toMatchObject({
      message: expect.stringContaining("with a part of its report"),
    });
});

test("a shell that a limit has ended says so, and one that goes on, or is lost, does not", async () => {
  expect(await whyEnded(logOf(said(refused)), "c")).toMatchObject({
    ...{ code: "command-failed", message: reason },
  });
  expect(await whyEnded(logOf(["ready"]), "c")).toBeUndefined();
  const wait = async () => Promise.reject(new SettError("kubernetes-failed", "It is lost."));
  const lost = { ...logOf(said(refused)), workers: { wait } } as never;
  expect(await whyEnded(lost, "c")).toBeUndefined();
});

/** `refusals`: how often the Engine refuses to remove each. `gone`: what it has removed. */
function engineThat(refusals: Record<string, number>) {
  const gone: string[] = [];
  const remove = async (name: string) => {
    refusals[name] = (refusals[name] ?? 0) - 1;
    if (refusals[name] >= 0) throw new SettError("docker-failed", `The Engine keeps ${name}.`);
    gone.push(name);
  };
  return { gone, runtime: { apply: { remove, removeVolume: remove } } };
}

test("what was made for a look goes, also where the Engine refuses once, and the rest where one stays", async () => {
  const volumes = [{ name: "workspace" }, { name: "results" }];
  const once = engineThat({ container: 1, results: 1 });
  const remove = removerOf(once.runtime, "container", volumes);
  await Promise.all([remove(), remove()]);
  expect(once.gone).toEqual(["container", "workspace", "results"]);
  const never = engineThat({ workspace: 2 });
  const failure = await removerOf(never.runtime, "container", volumes)().catch((error) => error);
  expect([failure.message, never.gone]).toEqual([
    "The Engine keeps workspace.",
    ["container", "results"],
  ]);
  const error = new SettError("image-not-found", "There is no image.");
  expect(staying(error, failure)).toMatchObject({
    code: "image-not-found",
    message:
      "There is no image. Not all that was made for it could be removed: The Engine keeps workspace.",
    hint: "`sett down` removes the rest.",
  });
});

/** `parts`: as the runtime finds them, one after the other, and the last one from then on. */
function runtimeThat(...parts: (object | undefined)[]) {
  const find = async () => (parts.length > 1 ? parts.shift() : parts[0]);
  return { observe: { ...logOf(["cub: no such file"]).observe, find } } as never;
}

test("a look whose container does not run says why, with what it has printed", async () => {
  const part = { restarts: 0, isOutOfMemory: false };
  const created = { ...part, state: { state: "created" } };
  const running = { ...part, state: { state: "running" } };
  const notes: string[] = [];
  const interrupted = new AbortController().signal;
  const shell = { interrupted, messages: { note: (text: string) => notes.push(text) } } as never;
  const room = { sentence: "no node has room for it", isFinal: false };
  const waits = { ...created, problem: room };
  const passing = { ...created, problem: { ...room, sentence: "a moment", limitMs: 60_000 } };
  await untilRunning(runtimeThat(passing, waits, waits, running), "look", shell);
  expect(notes).toEqual(["look waits: no node has room for it"]);
  const problem = { sentence: "its image cannot be pulled: NotFound", isFinal: true };
  const unable = untilRunning(runtimeThat({ ...created, problem }), "look", shell);
  await expect(unable).rejects.toMatchObject({
    ...{ code: "command-failed", hint: "cub: no such file" },
    message: "look does not run: its image cannot be pulled: NotFound.",
  });
  const state = { state: "exited", exitCode: 127, endedAt: "" };
  await expect(untilRunning(runtimeThat({ ...part, state }), "look", shell)).rejects.toThrow(
    "look ended with exit code 127 right after it was started.",
  );
  const ended = { interrupted: AbortSignal.abort(), messages: {} } as never;
  const over = untilRunning(runtimeThat(created), "look", ended);
  await expect(over).rejects.toMatchObject({ code: "interrupted" });
});
