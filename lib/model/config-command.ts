// Commands of sett.yml.
import { z } from "zod";
import { bytesOf, maxStringBytes } from "./exec-limits.ts";

/** The kernel accepts no argument or variable longer than 128 KiB. */
const maxArgumentBytes = 100 * 1024;

export const Argument = z
  .string()
  .refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" })
  .refine((text) => bytesOf(text) <= maxArgumentBytes, {
    error: "must not be longer than 100 KiB",
  });

export const Command = z
  .array(Argument, {
    error: ({ input }) =>
      typeof input === "string"
        ? 'must be a list: `["/app/run.sh"]`, or `["sh", "-c", "…"]` for a shell'
        : undefined,
  })
  .min(1, { error: "must not be empty: its first entry is the program" })
  .refine((words) => words[0] !== "", { path: [0], error: "must name a program" })
  // The cub gets it as one variable.
  .refine((words) => bytesOf(JSON.stringify(words)) <= maxStringBytes - 64, {
    error: "must not be longer than 128 KiB as a whole",
  });
