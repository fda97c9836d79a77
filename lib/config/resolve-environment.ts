// The values of an agent's environment: `${NAME}` and bare names taken from the host.
import type { EnvironmentEntry } from "../model/config-environment.ts";

/** The host's variables, as `process.env` has them. */
export type HostEnvironment = Readonly<Record<string, string | undefined>>;

export type ResolvedEnvironment = {
  values: Record<string, string>;
  mistakes: { at: string | number; sentence: string }[];
  /** Variables that this machine lacks: another one may have them. */
  missing: { at: string | number; sentence: string }[];
  warnings: { at: string | number; sentence: string }[];
};

/** The kernel takes no longer single variable than 128 KiB. */
const maxVariableBytes = 128 * 1024 - 1;

/**
 * As in Docker Compose: `${NAME}` and `$NAME` are replaced, `${NAME-text}` and `${NAME:-text}` have a default (with the colon also
 * for an empty variable), `$$` is a dollar sign. Unlike there a variable that is missing is a mistake, and never an empty text.
 */
export function resolveEnvironment(entries: readonly EnvironmentEntry[], host: HostEnvironment): ResolvedEnvironment {
  const resolved: ResolvedEnvironment = { values: {}, mistakes: [], missing: [], warnings: [] };
  for (const { name, value, at } of entries) {
    const complain = (sentence: string, kind: Complaint) => resolved[kind].push({ at, sentence });
    const text = value === undefined ? host[name] : replaceVariables(value, host, complain);
    if (text === undefined) {
      resolved.warnings.push({ at, sentence: `\`${name}\` is not set on this machine: the agent goes without it` });
    } else if (new TextEncoder().encode(`${name}=${text}`).length > maxVariableBytes) {
      resolved.mistakes.push({ at, sentence: `\`${name}\` is longer than the 128 KiB that a variable may have` });
    } else {
      resolved.values[name] = text;
    }
  }
  return resolved;
}

const reference = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?-)([^{}$]*))?\}|(\{[^}]*\}?|))/g;

/** What is wrong in the file, or only missing on this machine. */
export type Complaint = "mistakes" | "missing";

/** The text with the host's values in it. Each variable that is missing, or is none, is complained of. */
export function replaceVariables(
  text: string,
  host: HostEnvironment,
  complain: (sentence: string, kind: Complaint) => void,
): string {
  return text.replace(reference, (all, dollar, plain, braced, operator, fallback) => {
    if (dollar !== undefined) return "$";
    const name: unknown = plain ?? braced;
    if (typeof name !== "string") {
      complain(`has \`${all}\`, which is no variable: write \`\${NAME}\`, or \`$$\` for a dollar sign`, "mistakes");
      return "";
    }
    const value = host[name];
    if (operator !== undefined && (value === undefined || (operator === ":-" && value === ""))) return String(fallback);
    if (value === undefined) complain(`needs the variable \`${name}\`, which is not set on this machine`, "missing");
    return value ?? "";
  });
}
