// Tells an event that happens again within the forge's second from a delivery that a person sends
// again. Both have the same body and a new id; the order in which deliveries come is all that
// differs: what happens again has something between, comes at once, and can follow what came last:
// a branch is pushed from where it is, an issue is opened once, and no time goes back. Pure.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Turn } from "./forge-event.ts";

/**
 * `subject`: what the event has changed: a ref, an issue, a comment. `id`: of the delivery. `time`:
 * the forge's own, as the forge writes it.
 */
export type Arrival = {
  subject: string;
  body: Uint8Array;
  id: string;
  turn?: Turn | undefined;
  time?: string | undefined;
};

/** The field of a trigger's record with its last arrivals. */
export const arrivalsField = "arrivals";
/** Arrivals of two minutes, at the most that a trigger takes. */
const maxArrivals = 240;
/** Two events of one second come within it, on a machine that is slow as well. */
const againMs = 5_000;

const Known = z.array(
  z.tuple([
    z.string().describe("the subject"),
    z.string().describe("the body"),
    z.string().describe("the id of the delivery"),
    z.number().describe("when it came, in milliseconds"),
    z.string().optional().describe("the state that it has left the subject in, or nothing"),
    z.number().nullish().describe("the forge's own time, in milliseconds"),
  ]),
);

/**
 * `nth`: how often the same was said before it by other events. `value`: of the field from now on;
 * undefined where the delivery is a repeat, which changes nothing.
 */
export type PlacedArrival = { nth: number; value?: string };

/** `recorded`: the field as it is; undefined where there is none. */
export function placeArrival(
  recorded: string | undefined,
  { subject, body, id, turn, time }: Arrival,
  now: Date,
): PlacedArrival {
  const known = knownIn(recorded);
  const [about, said, from] = [subject, body, id].map(digestOf) as [string, string, string];
  const ofSubject = known.filter(([one]) => one === about);
  const same = ofSubject.filter(([, one]) => one === said);
  const again = same.findIndex(([, , one]) => one === from);
  if (again !== -1) return { nth: again };
  const last = same.at(-1);
  const isRepeat =
    last !== undefined &&
    (last === ofSubject.at(-1) ||
      !isAtOnce(last[3], now) ||
      !canFollow(ofSubject, turn) ||
      isPast(ofSubject, timeOf(time)));
  if (isRepeat) return { nth: same.length - 1 };
  const state = turn === undefined ? "" : digestOf(turn.to);
  const arrival = [about, said, from, now.getTime(), state, timeOf(time)];
  const arrivals = [...known, arrival].slice(-maxArrivals);
  return { nth: same.length, value: JSON.stringify(arrivals) };
}

function isAtOnce(before: number, now: Date): boolean {
  return now.getTime() - before <= againMs;
}

/** Whether the subject can be where the event begins. */
function canFollow(ofSubject: z.infer<typeof Known>, turn: Turn | undefined): boolean {
  const state = ofSubject.findLast((one) => Boolean(one[4]))?.[4];
  const from = turn?.from;
  return from === undefined || state === undefined || state === digestOf(from);
}

/** Whether the forge has given a later time to what came before. */
function isPast(ofSubject: z.infer<typeof Known>, time: number | undefined): boolean {
  return time !== undefined && ofSubject.some((one) => (one[5] ?? time) > time);
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function knownIn(recorded: string | undefined): z.infer<typeof Known> {
  return recorded === undefined ? [] : Known.parse(JSON.parse(recorded));
}

/** Short: 72 bits tell 240 arrivals apart. */
function digestOf(value: string | Uint8Array): string {
  return createHash("sha256").update(value).digest("base64url").slice(0, 12);
}
