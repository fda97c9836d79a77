// Repeats the first answer to a write that a client sends again with the same key, because it does
// not know whether it was carried out.
import { createHash, randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { RecentMap } from "../../../lib/async/recent-map.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import type { Env, RequestContext } from "../env.ts";
import type { Parts } from "../parts.ts";

/**
 * Replies are kept for a day in Redis; the newest in memory, too. Only the reply to what was
 * carried out is kept: a refused write may be sent again.
 */
const keptMs = 86_400_000;
const minInMemory = 1_000;
const maxReplyLength = 256 * 1024;

const Reply = z.strictObject({ request: z.string(), status: z.int(), body: z.string() });
/**
 * A request that has begun. `moment`: what its goal or its cause is made from; another one for what
 * comes with the key after the day.
 */
const Begun = z.strictObject({ request: z.string(), moment: z.string() });
const Kept = z.union([Reply, Begun]);
type Kept = z.infer<typeof Kept>;

/** This comes after the gate: keys belong to a caller. */
export function idempotency({
  deps: { board, log, clock },
}: Pick<Parts, "deps">): MiddlewareHandler<Env> {
  const recent = new RecentMap<string, { kept: Kept; sinceMs: number }>(minInMemory);
  const underWay = new Map<string, Promise<void>>();

  async function find(place: string): Promise<Kept | undefined> {
    const known = recent.get(place);
    if (known !== undefined && clock.passedMs() - known.sinceMs < keptMs) return known.kept;
    const text = await board.readReply(place);
    return text === undefined ? undefined : Kept.safeParse(JSON.parse(text)).data;
  }

  async function keep(place: string, kept: Kept): Promise<void> {
    recent.set(place, { kept, sinceMs: clock.passedMs() });
    try {
      await board.keepReply(place, JSON.stringify(kept), keptMs);
    } catch (error) {
      log.warn("A reply is kept in memory alone", { error: messageOf(error) });
    }
  }

  return async (context, next) => {
    const place = placeOf(context);
    if (place === undefined || context.req.method !== "POST") return await next();
    const request = await digestOfRequest(context);
    // A request that comes meanwhile with the same key waits for the answer to this one.
    const before = underWay.get(place);
    const { promise, resolve } = Promise.withResolvers<void>();
    underWay.set(place, promise);
    try {
      await before;
      const known = await find(place);
      if (known !== undefined && "status" in known) return replayed(known, request);
      const moment = known?.request === request ? known.moment : randomUUID();
      if (known?.moment !== moment) await keep(place, { request, moment });
      context.set("moment", moment);
      await next();
      const { res, error } = context;
      if (error !== undefined || res.status >= 300) return undefined;
      const body = await res.clone().text();
      if (body.length <= maxReplyLength) await keep(place, { request, status: res.status, body });
      return undefined;
    } finally {
      if (underWay.get(place) === promise) underWay.delete(place);
      resolve();
    }
  };
}

function replayed({ request, status, body }: z.infer<typeof Reply>, now: string): Response {
  if (request !== now)
    throw new SettError("usage", "This `Idempotency-Key` belongs to another request.", {
      hint: "Make a new key for each new request.",
    });
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", "idempotency-replayed": "true" },
  });
}

/** Undefined without a key. Throws `usage`. */
function placeOf({ req, var: { caller } }: RequestContext): string | undefined {
  const key = req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return digest(caller.id, key);
  throw new SettError(
    "usage",
    "`Idempotency-Key` has 1 to 255 characters of ASCII, and no spaces.",
    {
      hint: "A UUID is a good key.",
    },
  );
}

async function digestOfRequest({ req }: RequestContext): Promise<string> {
  return digest(req.method, `${req.path}${new URL(req.url).search}`, await req.text());
}

function digest(...parts: string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
}

/**
 * Returns the same id for each repeat of a request, so that it is safe even where its reply was not
 * kept; undefined without a key.
 */
export function causeOf(context: RequestContext): string | undefined {
  const place = placeOf(context);
  return place === undefined ? undefined : uuidOf(digest(place, context.get("moment") ?? ""));
}

export function goalIdOf(context: RequestContext): GoalId | undefined {
  const cause = causeOf(context);
  return cause === undefined ? undefined : GoalId.parse(cause);
}

/** Looks like a random one. */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
