// A service's settings come from its environment, checked once, at its edge.
import { z } from "zod";
import { SettError } from "../model/errors.ts";
import { parseJson } from "../model/json.ts";

/** A whole number of milliseconds given as `30s`, `5m`, `250ms` or a bare number of seconds. */
export const DurationText = z.string().transform((text, context) => {
  const [, digits, unit = "s"] = /^(\d+)(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  const factor = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit];
  if (digits === undefined || factor === undefined) {
    context.addIssue({ code: "custom", message: "must be a duration such as 30s, 5m or 250ms" });
    return z.NEVER;
  }
  return Number(digits) * factor;
});

export const NonEmpty = z.string().min(1, { error: "must not be empty" });

/** `what` it must be, for the message. */
export function countOf(what: string, min = 1) {
  const error = `must be ${what}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error });
}

/** Another service is at an address, at a socket, or with `tls` by what proves who asks. */
export function serviceUrl(example: string, tls?: "tls") {
  const protocol = tls === undefined ? /^(?:https?|unix)$/ : /^(?:https?|unix|tls)$/;
  return z.url({ protocol, error: `must be a URL such as ${example}` });
}

const redisExample = "must be a URL such as redis://user:password@host:6379";
export const RedisUrl = z.url({ protocol: /^rediss?$/, error: redisExample });
export const RedisUrlOrSocket = z.url({
  protocol: /^(?:rediss?|redis\+unix)$/,
  error: redisExample,
});

export const PortText = z.coerce.number().int().min(0).max(65_535);

/** A string that holds JSON of the given shape. */
export function jsonText<Shape extends z.ZodType>(shape: Shape, example: string) {
  return z.string().transform((text, context): z.output<Shape> => {
    const parsed = shape.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: "custom", message: `must be JSON such as ${example}` });
    return z.NEVER;
  });
}

/**
 * The settings read from `environment`. Throws `environment-invalid` (exit code 78, EX_CONFIG) with
 * one sentence that names every variable that is missing or malformed.
 */
export function readEnvironment<Shape extends z.ZodType>(
  shape: Shape,
  environment: Record<string, string | undefined>,
): z.output<Shape> {
  const parsed = shape.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? "the environment");
    return environment[name] === undefined ? `${name} is not set` : `${name} ${issue.message}`;
  });
  throw new SettError(
    "environment-invalid",
    `The environment is not complete: ${problems.join("; ")}.`,
    {
      hint: "`sett up` sets these; a service started by hand needs them in its environment.",
    },
  );
}

/** Settings of every program that uses Redis. */
export const redisPatience = {
  SETT_REDIS_TIMEOUT: DurationText.default(3_000).describe(
    "How long to wait for one answer of Redis.",
  ),
  SETT_REDIS_GIVE_UP: DurationText.default(60_000).describe(
    "How long Redis may be away before the process ends.",
  ),
};

/** Settings of every program with health endpoints. */
export const healthAddress = {
  SETT_HEALTH_PORT: PortText.default(8080).describe("The port of the health endpoints."),
  SETT_HEALTH_HOST: z
    .string()
    .min(1)
    .default("0.0.0.0")
    .describe("The address that they listen on."),
};
