// A person, or `sett` for them, gives an order to a program on standard input.
import type { z } from "zod";
import { SettError } from "../model/errors.ts";
import { parseJson } from "../model/json.ts";

/** `what` is on stdin, for the message. Throws `usage`, without a part of the text. */
export function orderIn<Shape extends z.ZodType>(
  text: string,
  { shape, what, hint }: { shape: Shape; what: string; hint: string },
): z.output<Shape> {
  const read = shape.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new SettError("usage", `${what} on stdin cannot be read.`, { hint });
}
