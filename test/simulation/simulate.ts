// `just simulate`: the programs that ship under one scheduler with virtual time, with faults, each
// schedule judged when it is at rest.
//
// --schedules N how many (2000) --seed S the first one's seed (1); by itself: that schedule alone
// --jobs J processes (1) --faults I,J only these faults of the seed, by their places in its plan
// --kind pieces|quorum|workers schedules of that kind, not the usual ones
// --trace every event of it, and all that its programs say --defects search for each of the
// mistakes of defects.ts, in at most so many schedules --defects --known only for those whose known
// schedule shows them no longer, and write what is found into defects/shown-by.ts
//
// A seed repeats a schedule exactly. Exit code 1 when something was found.
import process from "node:process";
import { parseArgs } from "node:util";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import { textOf } from "./faults.ts";
import { findDefects, writeKnown } from "./find-defects.ts";
import { findings } from "./findings.ts";
import { byDay, type Failed, playMany } from "./play-many.ts";
import { plannedFaults, runSchedule } from "./run-schedule.ts";
import { kinds } from "./world.ts";

const { values: options } = parseArgs({
  options: {
    schedules: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: "1" },
    faults: { type: "string" },
    kind: { type: "string" },
    trace: { type: "boolean", default: false },
    defects: { type: "boolean", default: false },
    known: { type: "boolean", default: false },
  },
});
const first = Number(options.seed ?? "1");
const schedules = Number(options.schedules ?? (options.seed === undefined ? "2000" : "1"));
const jobs = Math.min(Number(options.jobs), schedules);
const kind = kinds.find((one) => one === options.kind);
if (kind === undefined && options.kind !== undefined) {
  console.error(`There is no kind ${options.kind}: use ${kinds.join(", ")}.`);
  process.exit(2);
}
const beganMs = performance.now();

if (options.defects && options.known)
  await writeKnown({ most: Number(options.schedules ?? byDay) });
else if (options.defects)
  await findDefects({ most: Number(options.schedules ?? "20000"), jobs: Number(options.jobs) });
else if (options.trace || options.faults !== undefined) playOne(first, options.faults);
else if (jobs > 1) await fork();
else await playHere();

function playOne(seed: number, chosen: string | undefined): void {
  const planned = plannedFaults(seed, kind);
  const places =
    chosen === undefined ? [...planned.keys()] : chosen.split(",").filter(Boolean).map(Number);
  const faults = planned.filter((_, place) => places.includes(place));
  const outcome = runSchedule(seed, {
    ...withoutUndefined({ kind }),
    faults,
    ...(options.trace && { trace: (line: string) => console.log(line) }),
  });
  for (const fault of faults) console.log(textOf(fault));
  const sentences = findings(outcome);
  for (const sentence of sentences) console.log(sentence);
  const { scenario, events, virtualMs, digest } = outcome;
  console.log(
    `seed ${seed}: ${scenario}, ${events} events in ${Math.round(virtualMs / 1_000)} virtual seconds, digest ${digest}`,
  );
  process.exitCode = Math.min(1, sentences.length);
}

async function playHere(): Promise<void> {
  const seeds = Array.from({ length: schedules }, (_, index) => first + index);
  const play: typeof runSchedule = (seed, options) =>
    runSchedule(seed, { ...withoutUndefined({ kind }), ...options });
  const failed = await playMany(seeds, { play, onFailed: print });
  sumUp(schedules, failed.length);
}

async function fork(): Promise<void> {
  const share = Math.ceil(schedules / jobs);
  const parts = Array.from({ length: jobs }, async (_, job) => {
    const from = first + job * share;
    const count = Math.min(share, first + schedules - from);
    if (count <= 0) return 0;
    const command = [
      process.execPath,
      import.meta.path,
      "--schedules",
      String(count),
      "--seed",
      String(from),
      ...(kind === undefined ? [] : ["--kind", kind]),
    ];
    const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    let found: string | undefined;
    for await (const line of linesOf(child.stdout)) {
      [, found] = /^\d+ schedules: (\d+) failed/.exec(line) ?? [];
      if (found === undefined) console.log(line);
    }
    if (found === undefined)
      throw new Error(
        `The process for the seeds from ${from} has ended with ${await child.exited}.`,
      );
    return Number(found);
  });
  sumUp(
    schedules,
    (await Promise.all(parts)).reduce((sum, found) => sum + found, 0),
  );
}

/** Each as soon as it is there. */
async function* linesOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = `${text}${chunk}`.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

function print({ seed, faults, needed, sentences }: Failed): void {
  const replay = needed.length === faults.length ? "" : ` --faults ${needed.join(",") || "-"}`;
  const ofKind = kind === undefined ? "" : ` --kind ${kind}`;
  console.log(`just simulate --seed ${seed}${ofKind}${replay} --trace`);
  for (const place of needed) {
    const fault = faults[place];
    if (fault !== undefined) console.log(`       ${textOf(fault)}`);
  }
  for (const sentence of sentences.slice(0, 5)) console.log(`       ${sentence}`);
}

function sumUp(played: number, failed: number): void {
  const seconds = (performance.now() - beganMs) / 1_000;
  console.log(`${played} schedules: ${failed} failed, in ${seconds.toFixed(1)} s`);
  process.exitCode = Math.min(1, failed);
}
