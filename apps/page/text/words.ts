// Small texts for people: ids, times, sizes, sums of money. Pure.
import type { CostView } from "../data/contract.ts";

/** Enough to tell apart the few that a person sees at once. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** `0:42`, `12:03`, `3:04:05`, `2 d 3 h`: how long something takes. Times in the future count as now. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  const two = (count: number) => String(count).padStart(2, "0");
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}

const steps = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "min", ms: 60_000 },
  { unit: "s", ms: 1_000 },
] as const;

/** `3 s ago`, `5 min ago`, `just now`. */
export function ago(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  const step = steps.find((each) => ms >= each.ms);
  return step === undefined ? "just now" : `${Math.floor(ms / step.ms)} ${step.unit} ago`;
}

/** `14:03:41`, in the reader's time zone. */
export function clockTime(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** `2026-11-21 14:03:41`, in the reader's time zone. */
export function fullTime(at: string): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `${day} ${clockTime(at)}`;
}

/** `312 B`, `4.2 kB`, `5.0 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `1 claim`, `3 claims`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** `$0.42`; of calls whose price is not known the tokens. */
export function money({ usd, tokens, unpriced_calls = 0 }: CostView): string {
  if (usd === 0 && unpriced_calls > 0) return `${compact(tokens)} tokens`;
  const digits = usd === 0 || usd >= 0.01 ? 2 : 4;
  return `$${usd.toFixed(digits)}${unpriced_calls > 0 ? " + ?" : ""}`;
}

/** `12.3k`, `4M`. */
export function compact(number: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number);
}

/** The name of an actor: `coder`, `orchestrator`, `Ada Lovelace`. */
export function actorName(actor: string): string {
  const [kind = "", ...name] = actor.split(":");
  if (kind === "hand") return "by hand";
  if (name.length === 0 || kind === "orchestrator") return kind;
  return name.join(":").replace(kind === "agent" ? /@.*$/ : / <[^<>]*>$/, "");
}
