// Times and durations for people.

const steps = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "m", ms: 60_000 },
  { unit: "s", ms: 1_000 },
] as const;

/**
 * `3s`, `5m`, `2h`, `4d`: rounded down, in the largest unit that fits. Less than a second, and a
 * time in the future, are `now`.
 */
export function formatAge(ms: number): string {
  const step = steps.find((each) => ms >= each.ms);
  return step === undefined ? "now" : `${Math.floor(ms / step.ms)}${step.unit}`;
}

/** Says how long ago an ISO 8601 time was. */
export function ageOf(at: string, nowMs: number): string {
  return formatAge(nowMs - Date.parse(at));
}

/** The same as an answer to "how long?": less than a second is `0s`. */
export function lastingSince(at: string, nowMs: number): string {
  const age = ageOf(at, nowMs);
  return age === "now" ? "0s" : age;
}

/** The same as an answer to "when?": `3s ago`, `just now`. */
export function agoOf(at: string, nowMs: number): string {
  const age = ageOf(at, nowMs);
  return age === "now" ? "just now" : `${age} ago`;
}

/** `14:03:41`, in this machine's time zone. */
export function clockTime(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** `2026-11-21`, in this machine's time zone. */
export function calendarDay(at: string): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** `2026-11-21 14:03:41`, in this machine's time zone. */
export function fullTime(at: string): string {
  return `${calendarDay(at)} ${clockTime(at)}`;
}

/**
 * `0:42`, `12:03`, `3:04:05`, `2 d 3 h`: how long something takes, for a clock that goes on. Times
 * in the future count as now.
 */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const two = (count: number) => String(count).padStart(2, "0");
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}
