// The proxy through which one agent reaches what its `egress` names: CONNECT for everything, and
// plain HTTP by the full URL.
//
// Each agent has a socket of its own, which no other container sees: who asks is known by where it
// asks.
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../../lib/async/clock.ts";
import type { EgressTarget } from "../../../lib/model/egress.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { LineBudget } from "../../../lib/service/line-budget.ts";
import { type Admission, admit, TooManyNames } from "./admission.ts";
import type { EgressMetrics } from "./metrics.ts";
import { openUpstream } from "./open-upstream.ts";
import { httpsPort, tunnel } from "./tunnel.ts";

export type EgressDeps = {
  resolve: (name: string) => Promise<string[]>;
  /** The networks that the proxy itself is in. */
  own: () => readonly string[];
  /** Public networks of this machine. */
  machine: readonly string[];
  log: JsonLog;
  metrics: EgressMetrics;
  clock: Clock;
  /** After which a connection ends that nothing goes through. */
  idleMs: number;
};

/** The limit counts for one agent, at the same time. */
const maxConnections = 256;
/**
 * The limit counts for one agent: lookups go on when the client has left, so that its connections
 * do not bound them.
 */
const maxLookups = 256;
/** A log repeats so much of what an agent has written: no name of a host is longer. */
const maxHostLength = 255;
/** They are about one connection, not about what goes through it (RFC 9110, section 7.6.1). */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
];

type Place = { host: string; port: number };

export class EgressProxy {
  readonly #agent: string;
  readonly #targets: readonly EgressTarget[];
  readonly #deps: EgressDeps;
  readonly #lines: LineBudget;
  readonly #server: Server;
  #open = 0;
  #lookups = 0;

  constructor(agent: string, targets: readonly EgressTarget[], deps: EgressDeps) {
    this.#agent = agent;
    this.#targets = targets;
    this.#deps = deps;
    this.#lines = new LineBudget(deps.clock);
    this.#server = createServer((asked, answer) => void this.#pass(asked, answer));
    this.#server.on(
      "connect",
      (asked, socket, first) => void this.#connect(asked, socket as Socket, first),
    );
    this.#server.on("connection", (socket: Socket) => this.#count(socket));
  }

  /** `path`: of the socket, which must not exist. */
  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #count(socket: Socket): void {
    this.#open += 1;
    this.#deps.metrics.open.set({ agent: this.#agent }, this.#open);
    socket.once("close", () => {
      this.#open -= 1;
      this.#deps.metrics.open.set({ agent: this.#agent }, this.#open);
    });
    if (this.#open > maxConnections) socket.destroy();
  }

  async #connect(asked: IncomingMessage, client: Socket, first: Uint8Array): Promise<void> {
    client.on("error", () => client.destroy());
    const left = leaving(client);
    const place = placeOf(asked.url ?? "");
    const admission = place === undefined ? notUnderstood : await this.#admit(place);
    if (place === undefined || "reason" in admission)
      return refuse(client, this.#refused(place, admission));
    const upstream = await openUpstream(admission.addresses, place.port, left).catch(
      (error: unknown) => error,
    );
    if (!isSocket(upstream)) return refuse(client, this.#failed(place, upstream));
    const startedAt = this.#deps.clock.passedMs();
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const refusal = await tunnel({ client, upstream, ...place, first, idleMs: this.#deps.idleMs });
    if (refusal === undefined) this.#ended(place, upstream, startedAt);
    else this.#refused(place, { status: 403, reason: refusal });
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const say = ({ status, reason }: Refusal) =>
      answer.writeHead(status, refusalHeaders).end(`${reason}\n`);
    const left = leaving(answer);
    const url = URL.parse(asked.url ?? "");
    const place =
      url?.protocol === "http:" ? placeOf(`${url.hostname}:${url.port || 80}`) : undefined;
    const admission = place === undefined ? notUnderstood : await this.#admitPlain(place);
    if (url === null || place === undefined || "reason" in admission)
      return void say(this.#refused(place, admission));
    const upstream = await openUpstream(admission.addresses, place.port, left).catch(
      (error: unknown) => error,
    );
    if (!isSocket(upstream)) return void say(this.#failed(place, upstream));
    const startedAt = this.#deps.clock.passedMs();
    upstream.setTimeout(this.#deps.idleMs, () => upstream.destroy());
    upstream.once("close", () => this.#ended(place, upstream, startedAt));
    const headers = { ...without(asked.headers, hopByHop), host: url.host, connection: "close" };
    const forwarded = request({
      createConnection: () => upstream,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers,
    });
    forwarded.on("response", (received) => {
      answer.writeHead(received.statusCode ?? 502, without(received.headers, hopByHop));
      received.pipe(answer);
    });
    forwarded.on("error", (error) => {
      upstream.destroy();
      if (answer.headersSent) answer.destroy();
      else
        say({
          status: 502,
          reason: `${place.host}:${place.port} did not answer: ${messageOf(error)}`,
        });
    });
    answer.on("close", () => upstream.destroy());
    asked.pipe(forwarded);
  }

  #admit(place: Place): Promise<Admission> {
    const { own, machine } = this.#deps;
    const resolve = (name: string) => this.#resolve(name);
    return admit({
      agent: this.#agent,
      targets: this.#targets,
      ...place,
      resolve,
      own: own(),
      machine,
    });
  }

  async #resolve(name: string): Promise<string[]> {
    if (this.#lookups >= maxLookups) throw new TooManyNames();
    this.#lookups += 1;
    try {
      return await this.#deps.resolve(name);
    } finally {
      this.#lookups -= 1;
    }
  }

  async #admitPlain(place: Place): Promise<Admission> {
    return place.port === httpsPort ? notTls(place) : this.#admit(place);
  }

  #refused(place: Place | undefined, admission: Admission | Refusal): Refusal {
    const refusal = "reason" in admission ? admission : notUnderstood;
    this.#deps.metrics.connections.inc({ agent: this.#agent, outcome: "refused" });
    this.#line((fields) =>
      this.#deps.log.warn("Refused a connection", { ...fields, ...place, reason: refusal.reason }),
    );
    return refusal;
  }

  #failed(place: Place, error: unknown): Refusal {
    const reason = `${place.host}:${place.port} cannot be reached: ${messageOf(error)}`;
    this.#deps.metrics.connections.inc({ agent: this.#agent, outcome: "failed" });
    this.#line((fields) =>
      this.#deps.log.info("Could not connect", { ...fields, ...place, reason }),
    );
    return { status: 502, reason };
  }

  #ended(
    place: Place,
    { bytesRead: received, bytesWritten: sent }: Socket,
    startedAt: number,
  ): void {
    const { log, metrics, clock } = this.#deps;
    metrics.connections.inc({ agent: this.#agent, outcome: "allowed" });
    metrics.bytes.inc({ agent: this.#agent, direction: "sent" }, sent);
    metrics.bytes.inc({ agent: this.#agent, direction: "received" }, received);
    const ms = Math.round(clock.passedMs() - startedAt);
    this.#line((fields) =>
      log.info("Passed a connection on", { ...fields, ...place, sent, received, ms }),
    );
  }

  #line(write: (fields: { agent: string; omitted?: number }) => void): void {
    const omitted = this.#lines.take();
    if (omitted !== undefined) write({ agent: this.#agent, ...(omitted > 0 && { omitted }) });
  }
}

type Refusal = { status: number; reason: string };

const refusalHeaders = { "content-type": "text/plain; charset=utf-8", "x-sett-error": "egress" };

const notUnderstood: Refusal & { status: 403 } = {
  status: 403,
  reason:
    "This is the egress proxy of Sett: ask by CONNECT with a host and a port, or for the full URL of plain HTTP.",
};

function notTls({ host, port }: Place): Refusal & { status: 403 } {
  return { status: 403, reason: `What was sent to ${host}:${port} is not TLS.` };
}

function refuse(client: Socket, { status, reason }: Refusal): void {
  const headers = Object.entries({ ...refusalHeaders, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  client.end(`HTTP/1.1 ${status} Refused\r\n${headers.join("")}\r\n${reason}\n`);
}

/** Aborted when the client of this connection or request has left. */
function leaving(client: Socket | ServerResponse): AbortSignal {
  const controller = new AbortController();
  client.once("close", () => controller.abort(new Error("the client has left")));
  return controller.signal;
}

function placeOf(authority: string): Place | undefined {
  const { host, port } =
    /^(?<host>\[[^\]]+\]|[^:]+):(?<port>\d{1,5})$/.exec(authority)?.groups ?? {};
  const number = Number(port);
  return host !== undefined && host.length <= maxHostLength && number >= 1 && number <= 65_535
    ? { host, port: number }
    : undefined;
}

function isSocket(value: unknown): value is Socket {
  return typeof value === "object" && value !== null && "pipe" in value;
}

function without<Value>(
  headers: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
