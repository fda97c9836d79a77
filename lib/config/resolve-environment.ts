// The values of an agent's environment: `${NAME}` and bare names taken from the host.
import type { EnvironmentEntry } from "../model/config-environment.ts";
import { bytesOf, maxStringBytes } from "../model/exec-limits.ts";

/** The host's variables, as `process.env` has them. */
export type HostEnvironment = Readonly<Record<string, string | undefined>>;

export type ResolvedEnvironment = {
  values: Record<string, string>;
  mistakes: { at: string | number; sentence: string }[];
  /** Variables that this machine does not have: another one may have them. */
  missing: { at: string | number; sentence: string }[];
  warnings: { at: string | number; sentence: string }[];
};

/**
 * As in Docker Compose: `${NAME}` and `$NAME` are replaced, `${NAME-text}` and `${NAME:-text}` have
 * a default (with the colon also for an empty variable), `$$` is a dollar sign. Unlike there, a
 * missing variable is a mistake, and never an empty text.
 */
export function resolveEnvironment(
  entries: readonly EnvironmentEntry[],
  host: HostEnvironment,
): ResolvedEnvironment {
  const resolved: ResolvedEnvironment = { values: {}, mistakes: [], missing: [], warnings: [] };
  for (const { name, value, at } of entries) {
    const report = (sentence: string, kind: ProblemKind) => resolved[kind].push({ at, sentence });
    const text = value === undefined ? host[name] : replaceVariables(value, host, report);
    if (text === undefined) {
      resolved.warnings.push({
        at,
        sentence: `\`${name}\` is not set on this machine: the agent does not get it`,
      });
    } else if (bytesOf(`${name}=${text}`) > maxStringBytes) {
      resolved.mistakes.push({
        at,
        sentence: `\`${name}\` is longer than the 128 KiB that a variable may have`,
      });
    } else {
      resolved.values[name] = text;
    }
  }
  return resolved;
}

const reference = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?-)([^{}$]*))?\}|(\{[^}]*\}?|))/g;

/** A mistake of the file, or a variable that only this machine does not have. */
export type ProblemKind = "mistakes" | "missing";

/**
 * The text with the host's values in it. Reports each variable that is missing, and each `$` that
 * begins none.
 */
export function replaceVariables(
  text: string,
  host: HostEnvironment,
  report: (sentence: string, kind: ProblemKind) => void,
): string {
  return text.replace(reference, (all, dollar, plain, braced, operator, fallback) => {
    if (dollar !== undefined) return "$";
    const name: unknown = plain ?? braced;
    if (typeof name !== "string") {
      report(
        `has \`${all}\`, which is not a variable: write \`\${NAME}\`, or \`$$\` for a dollar sign`,
        "mistakes",
      );
      return "";
    }
    const value = host[name];
    if (operator !== undefined && (value === undefined || (operator === ":-" && value === "")))
      return String(fallback);
    if (value === undefined)
      report(`needs the variable \`${name}\`, which is not set on this machine`, "missing");
    return value ?? "";
  });
}
