// Asks a person at a terminal to agree to something.
import { LinePrompt } from "./line-prompt.ts";
import type { Shell } from "./shell.ts";

/** `question` is printed with ` [y/N] `. False also where the person interrupts. */
export async function confirm(
  { interrupted }: Pick<Shell, "interrupted">,
  question: string,
): Promise<boolean> {
  using prompt = new LinePrompt(`${question} [y/N] `);
  const dismiss = () => prompt.dismiss();
  interrupted.addEventListener("abort", dismiss, { once: true });
  const answer = await prompt.ask("");
  interrupted.removeEventListener("abort", dismiss);
  return !interrupted.aborted && /^y(?:es)?$/i.test(answer?.trim() ?? "");
}
