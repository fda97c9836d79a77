// Measures what a tool costs: its start over a bare spawn, and the contract's JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { readToolOutput } from "../../lib/core/read-tool-output.ts";
import { formatToolInput, ToolInput } from "../../lib/model/tool-contract.ts";
import { runCommand } from "../../lib/process/run-command.ts";
import { newClaimId, sampleArtefact } from "../support/records/sample.ts";
import { median } from "./figures.ts";

const environment = { PATH: process.env.PATH ?? "" };

/** Median milliseconds that a run of `true` takes beyond a bare spawn of it, the two in turn. */
export async function toolStartMs(rounds: number): Promise<number> {
  const extra: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bareAt = performance.now();
    await once(spawn("true", { stdio: "ignore", env: environment }), "exit");
    const toolAt = performance.now();
    const order = { command: ["true"], cwd: "/", env: environment, stdin: "{}", timeoutMs: 10_000 };
    await runCommand(order);
    extra.push(performance.now() - toolAt - (toolAt - bareAt));
  }
  return median(extra);
}

/** Median milliseconds to write the input of a 1 KB artefact and to read a 1 KB answer. */
export function contractJsonMs(rounds: number): number {
  const kilobyte = "x".repeat(1_024);
  const target = sampleArtefact({ payload: kilobyte });
  const answer = new TextEncoder().encode(
    JSON.stringify({ artefact_type: "Result", artefact_payload: kilobyte, summary: "" }),
  );
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const input = {
      claim_type: "exclusive",
      claim_id: newClaimId(),
      target_artefact: target,
      context_chain: [],
      additional_context: [],
    };
    formatToolInput(ToolInput.parse(input));
    readToolOutput(answer, { phase: "exclusive", kind: "standard", target: "GoalDefined" });
    took.push(performance.now() - began);
  }
  return median(took);
}
