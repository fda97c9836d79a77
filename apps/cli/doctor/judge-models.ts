// Judges what each model does when it is asked, for `sett doctor --models`.
import { z } from "zod";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { formatAmount } from "../../../lib/model/amounts.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { parseJson } from "../../../lib/model/json.ts";
import type { Finding } from "../facts/finding.ts";
import { runningGateway } from "../instance/running-gateway.ts";
import type { Shell } from "../terminal/shell.ts";

const Trials = z.array(
  z.object({
    model: z.string(),
    problem: z.string().optional(),
    streams: z.boolean().optional(),
    calls_tools: z.boolean().optional(),
    answer: z.object({ tokens: z.number(), nanousd: z.number().optional() }),
  }),
);
type Trial = z.infer<typeof Trials>[number];

/** Throws `not-ready` where no gateway runs, or where it cannot say anything. */
export async function findingsOfModels(shell: Shell, instance: InstanceName): Promise<Finding[]> {
  const { part, ask } = await runningGateway(shell, instance, {
    purpose: "ask its models",
    hint: "An instance without `models` in sett.yml has no gateway.",
  });
  const { stdout, stderr } = await ask("--try-models", undefined, shell.interrupted);
  const trials = trialsIn(stdout);
  if (trials === undefined)
    throw new SettError("not-ready", `${part.name} could not ask the models.`, {
      hint: oneLine(stderr.trim()) || "`sett logs gateway` may show why.",
    });
  return trials.map(judgeModel);
}

export function judgeModel({
  model,
  problem,
  streams,
  calls_tools: callsTools,
  answer,
}: Trial): Finding {
  const base = { subject: "gateway", check: `model ${model}` };
  const price =
    answer.nanousd === undefined ? "a price is not known" : formatAmount("nanousd", answer.nanousd);
  const most = `one answer has at most ${answer.tokens} tokens (${price})`;
  if (problem !== undefined)
    return {
      ...{ ...base, level: "problem", found: oneLine(problem) },
      why: "Agents with this model can do nothing.",
      remedy: `Correct \`models.${model}\` in sett.yml, or its server, and run \`sett up\`.`,
    };
  const lacks = [...(streams ? [] : ["does not stream"]), ...(callsTools ? [] : ["calls no tool"])];
  if (lacks.length === 0)
    return { ...base, level: "ok", found: `answers, streams and calls tools; ${most}` };
  return {
    ...{ ...base, level: "warning", found: `answers, but ${lacks.join(" and ")}; ${most}` },
    why: callsTools
      ? "Clients that show an answer as it comes get it at its end."
      : "The built-in worker, and most coding CLIs, do everything by calls of tools.",
    remedy: callsTools
      ? "Nothing, or a newer server."
      : "Start the server with a template for tools (docs/guides/prompts.md), or take another model.",
  };
}

function trialsIn(text: string): Trial[] | undefined {
  return Trials.safeParse(parseJson(text)).data;
}
