// A tool that is really started, and does nothing but say when.
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

/** Its payload is `s` and the moment at which it began, Unix seconds. */
export const startedTool = [
  "date",
  '+{"structural_type":"Terminal","artefact_type":"Done","artefact_payload":"s%s.%N","summary":""}',
];

/**
 * Unix milliseconds at which a tool began, by its payload; one that was not started says them
 * itself.
 */
export function beganMs(payload: string): number {
  return payload.startsWith("s") ? Number(payload.slice(1)) * 1_000 : Number(payload);
}

/** How many of its starts in a row take a second, without Sett. */
export async function bareStartsPerSecond(starts: number): Promise<number> {
  const [file = "", ...words] = startedTool;
  const began = performance.now();
  for (let count = 0; count < starts; count++)
    await once(
      spawn(file, words, { stdio: "ignore", env: { PATH: process.env.PATH ?? "" } }),
      "exit",
    );
  return starts / ((performance.now() - began) / 1_000);
}
