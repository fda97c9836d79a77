// Durations, memory sizes and processor shares as sett.yml writes them.
import { z } from "zod";
import { maxOutputBytes } from "./kept-output.ts";

const msOf: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A week. Timers allow no more than 24 days, and nothing in Sett should wait that long. */
const maxDurationMs = 7 * 86_400_000;

/** The same patterns check the file and are in its JSON Schema. */
const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const sizePattern = /^(\d+(?:\.\d+)?)\s?([kKmMgGtT]?)(?:[iI]?[bB])?$/;
const cpusPattern = /^(?:\d+(?:\.\d*)?|\.\d+)$/;

/** `30s`, `5m`, `500ms`, `1h30m` → milliseconds, from 1 ms to 7 days. */
export const Duration = z
  .string({
    error: ({ input }) =>
      typeof input === "number"
        ? `needs a unit: \`${input}s\` for seconds, \`${input}m\` for minutes`
        : undefined,
  })
  .meta({ pattern: durationPattern.source })
  .transform((text, context) => {
    const parts = durationPattern.test(text) ? [...text.matchAll(/([\d.]+)([a-z]+)/g)] : [];
    const ms = Math.round(
      parts.reduce(
        (sum, [, count, unit]) => sum + Number(count) * (msOf[unit ?? ""] ?? Number.NaN),
        0,
      ),
    );
    const twice = parts.find(
      ([, , unit], at) => parts.findIndex(([, , other]) => other === unit) < at,
    )?.[2];
    if (parts.length > 0 && twice === undefined && ms >= 1 && ms <= maxDurationMs) return ms;
    const sentence =
      parts.length === 0
        ? "must be a duration such as `30s`, `5m`, `500ms` or `1h30m`"
        : twice !== undefined
          ? `must name the unit \`${twice}\` once`
          : ms < 1
            ? "must be at least `1ms`"
            : "must be at most `7d`";
    context.addIssue({ code: "custom", message: sentence });
    return z.NEVER;
  });

/** A duration within bounds; each bound in milliseconds, and as sett.yml writes it. */
export function durationBetween(
  [minMs, minText]: [number, string],
  [maxMs, maxText]: [number, string],
) {
  return Duration.refine((ms) => ms >= minMs, { error: `must be at least \`${minText}\`` }).refine(
    (ms) => ms <= maxMs,
    {
      error: `must be at most \`${maxText}\``,
    },
  );
}

/** The `health_port` of a service. Not 0, which would be another port at every start. */
export const Port = z
  .int({ error: "must be a port, from 1 to 65535" })
  .min(1, { error: "must be at least 1" })
  .max(65_535, { error: "must be at most 65535" });

const powerOf: Record<string, number> = { "": 0, k: 1, m: 2, g: 3, t: 4 };
/** The minimum that the Docker Engine accepts. */
const minMemoryBytes = 6 * 1024 ** 2;
const maxMemoryBytes = 64 * 1024 ** 4;

/**
 * `512M`, `1.5G`, `64MiB` or a number of bytes → bytes; units are powers of 1024 in either
 * spelling, as in Docker Compose.
 */
const sizeFrom = (minBytes: number, tooSmall: string) =>
  z
    .union([z.int(), z.string().meta({ pattern: sizePattern.source })], {
      error: "must be a size such as `512M` or `1G`, or a number of bytes",
    })
    .transform((size, context) => {
      const [, count, unit] = sizePattern.exec(String(size)) ?? [];
      const bytes = Math.floor(Number(count) * 1024 ** (powerOf[(unit ?? "").toLowerCase()] ?? 0));
      if (bytes >= minBytes && bytes <= maxMemoryBytes) return bytes;
      const sentence =
        count === undefined
          ? "must be a size such as `512M` or `1G`, or a number of bytes"
          : bytes < minBytes
            ? tooSmall
            : "must be at most `64T`";
      context.addIssue({ code: "custom", message: sentence });
      return z.NEVER;
    });

export const Memory = sizeFrom(
  minMemoryBytes,
  "must be at least `6M`, the minimum that Docker accepts",
);

/** The size of the context of one grant. */
export const ContextSize = sizeFrom(1024, "must be at least `1K`");

/** So much of the output of one grant is kept. */
export const OutputSize = sizeFrom(0, "must be at least `0`").refine(
  (bytes) => bytes <= maxOutputBytes,
  { error: "must be at most `64M`: a command that prints more is ended" },
);

/** `'0.50'` or `2` → how many processors, from 0.01 to 1024. */
export const Cpus = z
  .union([z.number(), z.string().meta({ pattern: cpusPattern.source })], {
    error: "must be a number of processors such as `'0.50'` or `2`",
  })
  .transform((share, context) => {
    const cpus = cpusPattern.test(String(share)) ? Number(share) : Number.NaN;
    if (cpus >= 0.01 && cpus <= 1024) return cpus;
    const sentence = Number.isNaN(cpus)
      ? "must be a number of processors such as `'0.50'` or `2`"
      : "must be between 0.01 and 1024 processors";
    context.addIssue({ code: "custom", message: sentence });
    return z.NEVER;
  });
