// Settings that come on the standard input, from a program that starts the API beside other work,
// and with which the API ends.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { orderIn } from "../../lib/service/order-in.ts";

const Variables = z.record(z.string(), z.string());

/**
 * The first line, which is JSON: a map of variables. `onEnd` is called when the input ends, which
 * it does with the other program, however that ends. Throws `usage`, without a part of the line.
 */
export async function settingsOnStdin(
  input: Readable,
  onEnd: () => void,
): Promise<Record<string, string>> {
  const lines = createInterface(input);
  lines.once("close", onEnd);
  const line = await new Promise<string>((resolve) => {
    lines.once("line", resolve);
  });
  return orderIn(line, {
    shape: Variables,
    what: "The settings",
    hint: "Write one line of JSON: variables with their values.",
  });
}
