// Ends the connection of a request that is answered before its body is whole.
//
// Bun would go on reading what the client sends, and drop it: hundreds of megabytes of a stranger,
// and a connection that keeps the service from stopping. `Connection: close` makes it end the
// connection behind the answer. A client that is still sending then may lose the answer, so the
// rest of a body that is small, or comes quickly, is taken and dropped before.
import type { MiddlewareHandler } from "hono";

const maxDroppedBytes = 8 * 1024 * 1024;
const patienceMs = 500;

export const endWithUnreadBody: MiddlewareHandler = async (context, next) => {
  const { body } = context.req.raw;
  // A handler that has read a part of it has released it.
  await next();
  if (body !== null && !(await hasDropped(body))) context.res.headers.set("connection", "close");
};

/** Whether nothing of the body is left to come. */
async function hasDropped(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader();
  const patience = Promise.withResolvers<"too slow">();
  const timer = setTimeout(() => patience.resolve("too slow"), patienceMs);
  try {
    for (let bytes = 0; bytes <= maxDroppedBytes; ) {
      const part = await Promise.race([reader.read(), patience.promise]);
      if (part === "too slow") return false;
      if (part.done) return true;
      bytes += part.value.length;
    }
    return false;
  } catch {
    // The client has gone.
    return false;
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
}
