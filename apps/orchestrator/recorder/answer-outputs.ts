// `orchestrator --read-outputs` and `--remove-outputs`: for the command line, which has no access
// to the record's volume.
import { z } from "zod";
import { GoalId } from "../../../lib/model/ids.ts";
import { Digest } from "../../../lib/model/kept-output.ts";
import { orderIn } from "../../../lib/service/order-in.ts";
import type { OutputStore } from "./output-store.ts";

const Body = z.strictObject({ goal: GoalId, digest: Digest });
const Bodies = z.array(Body);
const Removed = z.array(z.union([GoalId, Body]));

/** `order`: JSON, a list of `goal` and `digest`. A line of JSON for each. Throws `usage`. */
export async function* readOutputLines(store: OutputStore, order: string): AsyncGenerator<string> {
  for (const body of parsed(Bodies, order)) {
    const bytes = await store.read(body);
    const { digest } = body;
    const content = bytes === undefined ? {} : { base64: Buffer.from(bytes).toString("base64") };
    yield JSON.stringify({ digest, ...content });
  }
}

/** `order`: JSON, a list of goals, or of `goal` and `digest`. Throws `usage`. */
export async function removeOutputs(store: OutputStore, order: string): Promise<void> {
  for (const one of parsed(Removed, order))
    if (typeof one === "string") await store.removeGoal(one);
    else await store.remove(one);
}

function parsed<Shape extends z.ZodType>(shape: Shape, order: string): z.output<Shape> {
  return orderIn(order, { shape, what: "The list", hint: "Write JSON, as `sett` does." });
}
