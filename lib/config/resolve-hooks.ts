// The addresses and secrets of `notify`, with `${NAME}` taken from the host. No sentence shows a
// value: it may be secret.
import type { ConfigPath } from "./problems.ts";
import { type HostEnvironment, type ProblemKind, replaceVariables } from "./resolve-environment.ts";

export type ResolvedHooks = {
  /** One for each entry of the list; empty where it is wrong. */
  values: { url: string; secret?: string }[];
  mistakes: { path: ConfigPath; sentence: string }[];
  /** Variables that this machine does not have: another one may have them. */
  missing: { path: ConfigPath; sentence: string }[];
};

/** Shorter ones can be guessed from a message and its signature. */
const minSecretLength = 16;

export function resolveHooks(notify: unknown, host: HostEnvironment): ResolvedHooks {
  const found: Pick<ResolvedHooks, ProblemKind> = { mistakes: [], missing: [] };
  const seen = new Set<string>();
  const values = (Array.isArray(notify) ? notify : []).map((entry: unknown, index) => {
    const read = (key: "url" | "secret", problemOf: (text: string) => string | undefined) => {
      const raw: unknown = entry instanceof Object ? Reflect.get(entry, key) : undefined;
      // The schema reports what is not text.
      if (typeof raw !== "string") return "";
      let isWhole = true;
      const report = (sentence: string, kind: ProblemKind) => {
        isWhole = false;
        found[kind].push({ path: ["notify", index, key], sentence });
      };
      const text = replaceVariables(raw, host, report);
      const problem = isWhole ? problemOf(text) : undefined;
      if (problem !== undefined) report(problem, "mistakes");
      return text;
    };
    const url = read(
      "url",
      (text) =>
        urlProblem(text) ??
        (Object(entry).body === "ntfy" ? topicProblem(text) : undefined) ??
        (seen.has(text) ? "is here a second time" : undefined),
    );
    seen.add(url);
    const secret = read("secret", secretProblem);
    return { url, ...(secret !== "" && { secret }) };
  });
  return { values, ...found };
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return "must be an address such as `https://example.org/hook`";
  if (url.username !== "" || url.password !== "")
    return "must not have a user or a password: the messages are signed instead";
  return undefined;
}

function topicProblem(text: string): string | undefined {
  return /\/[\w-]{1,64}\/?$/.test(new URL(text).pathname)
    ? undefined
    : "must end with the topic of ntfy, of letters, digits, `_` and `-`: `https://ntfy.sh/our-setts-8f3a`";
}

function secretProblem(text: string): string | undefined {
  if (text.length < minSecretLength) {
    return `must have at least ${minSecretLength} characters: \`openssl rand -hex 32\` makes a good one`;
  }
  if (text.startsWith("whsec_") && !/^whsec_(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/.test(text)) {
    return "must be base64 after `whsec_`";
  }
  return undefined;
}
