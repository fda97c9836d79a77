// Warns about providers that cannot be reached or refuse their keys. The sett starts all the same:
// its other work goes on, and calls are tried again.
import { z } from "zod";
import { oneLine } from "../../../../lib/client/text/plain-text.ts";
import { parseJson } from "../../../../lib/model/json.ts";
import type { PlannedPart } from "../../../../lib/runtime/part-plan.ts";
import type { Runtime } from "../../../../lib/runtime/port.ts";
import type { Shell } from "../../terminal/shell.ts";

const Problems = z.array(z.object({ model: z.string(), problem: z.string() }));

/**
 * The gateway asks, because its network and its keys are the ones that count. A gateway that cannot
 * say anything is not waited for.
 */
export async function warnAboutModels(
  runtime: Pick<Runtime, "observe">,
  { spec, program }: PlannedPart,
  { messages, interrupted }: Pick<Shell, "messages" | "interrupted">,
): Promise<void> {
  const answer = await runtime.observe
    .exec(spec.name, [...program, "--probe"], { signal: interrupted })
    .catch(() => undefined);
  for (const { problem } of problemsIn(answer?.stdout ?? "")) messages.warn(`${oneLine(problem)}.`);
}

function problemsIn(text: string): z.infer<typeof Problems> {
  return Problems.safeParse(parseJson(text)).data ?? [];
}
