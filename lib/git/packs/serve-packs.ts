// The service of packs by HTTP, for callers that a listener knows:
//
//   GET    /store                    the list of the store's files, with a tag
//   PUT    /store                    another list, in place of the one that `if-match` names
//   GET    /files/SHA256             a content
//   PUT    /files/SHA256
//   GET    /shelves                  what is on the shelves
//   GET    /shelves/COMMIT           the same of one commit
//   GET    /shelves/COMMIT/AGENT     a pack
//   POST   /shelves/COMMIT           whether a pack of `sett-bytes` would be taken
//   PUT    /shelves/COMMIT           on the shelf of the agent that calls
//   DELETE /shelves/COMMIT/AGENT
//
// All may read; a reader has no shelves to see. The host alone writes the store and clears shelves,
// and an agent only adds to its own.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { messageOf } from "../../model/errors.ts";
import { AgentName, CommitHash } from "../../model/ids.ts";
import { maxPackBytes, Sha256 } from "../../model/packs.ts";
import { type PackService, Refusal } from "./pack-service.ts";

export type Caller =
  | { readonly role: "agent"; readonly name: AgentName }
  | { readonly role: "host" }
  | { readonly role: "reader" };

export type ServeOptions = {
  readonly service: PackService;
  /** Tells who is calling; undefined for a caller who may not. A socket has one answer for all. */
  readonly callerOf: (request: IncomingMessage) => Caller | undefined;
  /** So many may be connected at once, so that one agent does not use up what all share. */
  readonly maxConnections?: number;
  /** Gets what no caller is to blame for. */
  readonly onError?: (error: unknown) => void;
};

const usualConnections = 256;
/** After which a connection ends that nothing comes through. */
const idleMs = 60_000;
/** A list of a million files has so many. */
const maxListBytes = 512 * 1024 ** 2;
const chunkBytes = 1024 ** 2;

/** Not listening yet. */
export function packsServer(options: ServeOptions): Server {
  const { maxConnections = usualConnections } = options;
  const server = createServer((request, response) => void answer(options, request, response));
  let open = 0;
  server.on("connection", (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    if (open > maxConnections) socket.destroy();
  });
  server.setTimeout(idleMs);
  // A large store takes its time.
  server.requestTimeout = 0;
  return server;
}

async function answer(
  { service, callerOf, onError }: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const caller = callerOf(request);
    if (caller === undefined) throw new Refusal(401, "It is not known who calls.");
    await route(service, caller, request, response);
  } catch (error) {
    // A caller that has gone is the reason itself, and any number of them would fill a log.
    if (response.destroyed) return;
    const refusal = error instanceof Refusal ? error : undefined;
    if (refusal === undefined) onError?.(error);
    if (response.headersSent) return void response.destroy();
    const sentence = refusal?.message ?? `The service of packs failed: ${messageOf(error)}`;
    await passOver(request);
    const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
    response.writeHead(refusal?.status ?? 500, headers).end(sentence);
  }
}

/**
 * A caller that still sends might not see the answer otherwise. What is more than anything that is
 * taken is not waited for: the end of the connection behind the answer ends it.
 */
async function passOver(request: IncomingMessage): Promise<void> {
  const bytes = Number(request.headers["content-length"] ?? 0);
  if (request.complete || !(bytes <= maxPackBytes)) return;
  request.resume();
  await finished(request).catch(() => undefined);
}

async function route(
  service: PackService,
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [kind = "", first = "", second = "", ...more] = (request.url ?? "").slice(1).split("/");
  const what = `${request.method} ${[kind, first && "…", second && "…"].filter(Boolean).join("/")}`;
  if (more.length > 0) throw notFound();
  if (kind === "shelves" && caller.role === "reader")
    throw new Refusal(403, "Only the store can be read in this way.");
  switch (what) {
    case "GET store":
      return sendList(service, request, response);
    case "PUT store":
      requireHost(caller);
      await service.putList(await listIn(request), request.headers["if-match"]);
      return done(response);
    case "GET files/…":
      return await sendFile(response, service.filePath(hashFrom(first)));
    case "PUT files/…":
      requireHost(caller);
      await service.putFile(hashFrom(first), incoming(request));
      return done(response);
    case "GET shelves":
      return sendJson(response, service.packs());
    case "GET shelves/…":
      return sendJson(response, service.packs(commitFrom(first)));
    case "GET shelves/…/…":
      return await sendFile(response, service.packPath(agentFrom(second), commitFrom(first)));
    case "POST shelves/…":
      service.admit(shelfOf(caller), commitFrom(first), Number(request.headers["sett-bytes"] ?? 0));
      return done(response);
    case "PUT shelves/…":
      await service.publish(shelfOf(caller), commitFrom(first), incoming(request));
      return done(response);
    case "DELETE shelves/…/…":
      requireHost(caller);
      await service.remove(agentFrom(second), commitFrom(first));
      return done(response);
    default:
      throw notFound();
  }
}

function sendList(service: PackService, request: IncomingMessage, response: ServerResponse): void {
  const { list } = service;
  if (list === undefined) throw notFound();
  const headers = { "content-type": "application/json", etag: list.tag };
  if (request.headers["if-none-match"] === list.tag)
    return void response.writeHead(304, headers).end();
  response.writeHead(200, headers).end(list.text);
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw notFound();
  // A file that is opened for a caller who has gone meanwhile would stay open.
  if (response.destroyed) return;
  const headers = { "content-type": "application/octet-stream", "content-length": found.size };
  response.writeHead(200, headers);
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), response);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function done(response: ServerResponse): void {
  response.writeHead(204).end();
}

/** The length is needed before anything is read: what is too large is refused at once. */
function incoming(request: IncomingMessage): { bytes: number; body: AsyncIterable<Uint8Array> } {
  const bytes = Number(request.headers["content-length"] ?? "none");
  if (!Number.isSafeInteger(bytes)) throw new Refusal(411, "The length of the content is missing.");
  return { bytes, body: request };
}

async function listIn(request: IncomingMessage): Promise<string> {
  const { bytes } = incoming(request);
  if (bytes > maxListBytes) throw new Refusal(413, "The list is too long.");
  return await text(request);
}

function shelfOf(caller: Caller): AgentName {
  if (caller.role === "agent") return caller.name;
  throw new Refusal(403, "Only an agent has a shelf.");
}

function requireHost({ role }: Caller): void {
  if (role !== "host") throw new Refusal(403, "Only the person's side may do this.");
}

function notFound(): Refusal {
  return new Refusal(404, "There is no such thing here.");
}

function hashFrom(text: string): string {
  return parsed(Sha256.safeParse(text));
}

function commitFrom(text: string): CommitHash {
  return parsed(CommitHash.safeParse(text));
}

function agentFrom(text: string): AgentName {
  return parsed(AgentName.safeParse(text));
}

function parsed<Value>(result: { success: true; data: Value } | { success: false }): Value {
  if (result.success) return result.data;
  throw notFound();
}
