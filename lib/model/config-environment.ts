// The `environment` of an agent in sett.yml: a list or a map, both read into the same entries.
import { z } from "zod";

/** A variable before `${…}` is replaced. */
export type EnvironmentEntry = {
  name: string;
  /** Missing for a bare name: the host's value is used. */
  value?: string;
  /** Its place in the file: the index in the list, or the key of the map. */
  at: string | number;
};

/** Limits of the built-in worker, which people may set as its agent's. */
const workerLimits: readonly string[] = [
  "SETT_WORK_STEPS",
  "SETT_WORK_OUTPUT",
  "SETT_WORK_CONTEXT",
];

/** So many tokens may one answer of the model have that the built-in worker asks for. */
export const workerOutput = 8_192;

/**
 * Names that Sett sets itself, or without which the cub must start
 * (docs/reference/tool-contract.md#environment-of-the-command).
 */
function isReserved(name: string): boolean {
  return (name === "REDIS_URL" || /^(?:SETT|BUN|LD)_/.test(name)) && !workerLimits.includes(name);
}

const reservedSentence =
  "is a name that Sett uses itself (`REDIS_URL`, and all that start with `SETT_`, `BUN_` or `LD_`): choose another, or set it in the image";
const nameSentence = "must be a variable's name such as `LOG_LEVEL`";

/** The environment of a command. */
export const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/, { error: nameSentence, abort: true })
  .refine((name) => !isReserved(name), { error: reservedSentence });

const Value = z
  .string({ error: "must be text, or nothing to take the host's value" })
  .refine((text) => !text.includes("\0"), {
    error: "must not contain a NUL character",
  });

const Line = z
  .string({ error: "must be text: `NAME=value`, or `NAME` to take the host's value" })
  .transform((text): { name: string; value?: string } => {
    const [, name = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    return value === undefined ? { name } : { name, value };
  })
  // The issues of the parts are reported for the whole line: the file has no place for a part.
  .superRefine(({ name, value }, context) => {
    const parts = [VariableName.safeParse(name), Value.safeParse(value ?? "")];
    for (const message of parts.flatMap((part) =>
      part.success ? [] : part.error.issues.map((issue) => issue.message),
    )) {
      context.addIssue({
        code: "custom",
        message:
          message === nameSentence ? `must begin with a variable's name: \`NAME=value\`` : message,
      });
    }
  });

const List = z.array(Line).transform((lines, context): EnvironmentEntry[] => {
  const seen = new Set<string>();
  return lines.map((line, at) => {
    if (seen.has(line.name))
      context.addIssue({
        code: "custom",
        path: [at],
        message: `sets \`${line.name}\` a second time`,
      });
    seen.add(line.name);
    return { ...line, at };
  });
});

const Named = z
  .record(VariableName, Value.nullable())
  .transform((values): EnvironmentEntry[] =>
    Object.entries(values).map(([name, value]) =>
      value === null ? { name, at: name } : { name, value, at: name },
    ),
  );

/** `[LOG_LEVEL=debug, GITHUB_TOKEN]` or `{ LOG_LEVEL: debug, GITHUB_TOKEN: }`. */
export const Environment = z.union([List, Named], {
  error: "must be a list such as `[LOG_LEVEL=debug, GITHUB_TOKEN]`, or a map",
});
