// Sessions of assistants (MCP over HTTP): each belongs to one caller, and knows the name with which
// its client has introduced itself.
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Clock } from "../../lib/async/clock.ts";
import type { Write } from "../../lib/mcp/deps.ts";
import { messageProblem } from "../../lib/mcp/read-message.ts";
import { refusedWrites } from "../../lib/mcp/refused-writes.ts";
import { createMcpServer } from "../../lib/mcp/server.ts";
import type { Caller } from "./access/caller.ts";
import { recordCall } from "./access/record-call.ts";
import type { Parts } from "./parts.ts";
import { kindOf } from "./problem.ts";
import { postInGoal } from "./routes/artefacts.ts";
import { repositoryOf } from "./routes/goals.ts";
import { beginStream, whileAlive } from "./routes/open-stream.ts";

/** `caller`: `keyOf` the one that has begun it. */
type Session = {
  transport: WebStandardStreamableHTTPServerTransport;
  caller: string;
  usedAtMs: number;
};

/** A client that comes back later begins a new session. */
const idleMs = 60 * 60_000;
/**
 * The limit counts sessions of all tokens; the one that was not used for the longest time makes
 * room.
 */
const maxSessions = 200;

export class McpSessions {
  readonly #parts: Parts;
  readonly #clock: Pick<Clock, "passedMs">;
  readonly #sessions = new Map<string, Session>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#clock = parts.deps.clock;
  }

  /** The answer to one request of an assistant. */
  async handle(request: Request, caller: Caller): Promise<Response> {
    this.#forgetIdle();
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : this.#sessions.get(id);
    const body = await bodyOf(request);
    // The transport answers what is no JSON, and a method without a body.
    const isList = Array.isArray(body) && body.length > 0;
    const messages: unknown[] = isList ? body : body === undefined ? [] : [body];
    const [refusal] = messages.flatMap((message) => messageProblem(message) ?? []);
    const refuse = () => Response.json(refusal, { status: 400 });
    if (id === null)
      return refusal === undefined
        ? await (await this.#begin(caller)).handleRequest(request)
        : refuse();
    for (const refused of refusedWrites(body, caller.rights)) await this.#record(caller, refused);
    // A session of another caller, or of one that had other rights then, is as unknown as one that
    // never was.
    if (known === undefined || known.caller !== keyOf(caller)) return unknownSession();
    known.usedAtMs = this.#clock.passedMs();
    if (refusal !== undefined) return refuse();
    return request.method === "GET"
      ? await this.#follow(known, request, caller)
      : await known.transport.handleRequest(request);
  }

  /** The stream of a session, which is one of the API's streams. Throws `too-many-requests`. */
  async #follow({ transport }: Session, request: Request, caller: Caller): Promise<Response> {
    const life = beginStream(this.#parts, request, caller);
    const answer = await transport.handleRequest(request).catch((error: unknown) => {
      life.end();
      throw error;
    });
    if (answer.ok && answer.body !== null)
      return new Response(whileAlive(answer.body, life), answer);
    life.end();
    return answer;
  }

  /** Its first request must be `initialize`: the transport refuses others. */
  async #begin(caller: Caller): Promise<WebStandardStreamableHTTPServerTransport> {
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
      "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
    );
    const transport = new Transport({
      sessionIdGenerator: this.#parts.deps.newId,
      onsessioninitialized: (id) => {
        this.#makeRoom();
        this.#sessions.set(id, {
          transport,
          caller: keyOf(caller),
          usedAtMs: this.#clock.passedMs(),
        });
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    const { board, asker, deps, signal } = this.#parts;
    const server = createMcpServer({
      version: deps.version,
      rights: caller.rights,
      recordWrite: (write) => this.#record(caller, write),
      open: async () => ({
        asker: {
          board,
          suggest: asker.suggest,
          // A call that waits is answered with what is known when the API stops.
          follow: (from, visit, over) => asker.follow(from, visit, AbortSignal.any([over, signal])),
        },
        person: caller.actor,
        postGoal: ({ text, id, actor, marks }) =>
          repositoryOf(this.#parts).postGoal(board, { text, id, commit: undefined, actor, marks }),
        lacking: (commit) => repositoryOf(this.#parts).lacking(board.instance, commit),
        postArtefact: (order) => postInGoal(this.#parts, { ...order, suggest: asker.suggest }),
        changes: (result, since) =>
          repositoryOf(this.#parts).changes(board, result, { since, person: caller.actor }),
        async [Symbol.asyncDispose]() {},
      }),
    });
    await server.connect(transport);
    return transport;
  }

  async #record(caller: Caller, { tool, goal, error }: Write): Promise<void> {
    const status = error === undefined ? 200 : kindOf(error).status;
    await recordCall(this.#parts, caller, { method: "POST", path: "/mcp", tool, status, goal });
  }

  #forgetIdle(): void {
    for (const [id, { transport, usedAtMs }] of this.#sessions) {
      if (this.#clock.passedMs() - usedAtMs < idleMs) continue;
      this.#sessions.delete(id);
      void transport.close();
    }
  }

  #makeRoom(): void {
    if (this.#sessions.size < maxSessions) return;
    const [oldest] = [...this.#sessions].toSorted(
      ([, one], [, other]) => one.usedAtMs - other.usedAtMs,
    );
    if (oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].transport.close();
  }
}

/**
 * All that the tools of a session do in the name of its caller, so that it is the same at each
 * call.
 */
function keyOf({ id, name, actor, rights }: Caller): string {
  return JSON.stringify([id, name, actor, [...rights].toSorted()]);
}

/** Undefined where it is no JSON, which the transport refuses. */
async function bodyOf(request: Request): Promise<unknown> {
  return request.method === "POST"
    ? await request
        .clone()
        .json()
        .catch(() => undefined)
    : undefined;
}

/** By the protocol, 404 is the sign to begin a new session: as after a restart of this program. */
function unknownSession(): Response {
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32_001, message: "Session not found" }, id: null },
    { status: 404 },
  );
}
