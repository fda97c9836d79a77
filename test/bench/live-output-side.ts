// Measures what it costs that people can see output as it comes: the processor time that a cub
// takes for a command which prints 10 000 lines a second, beyond the time to collect them.
import process from "node:process";
import { LiveOutput } from "../../apps/cub/tool/live-output.ts";
import { runCommand } from "../../lib/process/run-command.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { median } from "./figures.ts";

/** 1 000 lines of 80 bytes each tenth of a second, for two seconds. */
const printing = `i=0; while [ $i -lt 20 ]; do head -c 79000 /dev/zero | tr '\\0' x | fold -w 79; echo; sleep 0.1; i=$((i+1)); done >&2`;
const secondsOfLines = 2;

/** Percent of the time in which these lines are printed. */
export async function liveOutputPercent(rounds: number): Promise<number> {
  const extra: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const plain = await processorMsOf(undefined);
    const log = createJsonLog(
      (line) => void Buffer.from(line),
      () => new Date(),
      { agent: "coder", goal_id: "goal", claim_id: "claim", attempt: 1 },
    );
    extra.push((await processorMsOf(new LiveOutput(log, undefined))) - plain);
  }
  return (median(extra) / (secondsOfLines * 1_000)) * 100;
}

async function processorMsOf(live: LiveOutput | undefined): Promise<number> {
  const before = process.cpuUsage();
  await runCommand({
    ...{ command: ["sh", "-c", printing], cwd: "/", env: { PATH: process.env.PATH ?? "" } },
    ...{ stdin: "", timeoutMs: 120_000 },
    ...(live && { onOutput: live.add }),
  });
  live?.end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
