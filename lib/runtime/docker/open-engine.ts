// A client of the Engine that follows no redirect: an Engine redirects only what it does not know,
// and the target would be a host that no setting names, to which a failed connection would end this
// process. What is to be created is in the body of its request alone: dockerode repeats it in the
// address, passwords and all, where proxies log it, and refuse it as too long.
import type { Agent } from "node:http";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { clauseOf, SettError } from "../../model/errors.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { type EngineWay, wayTo } from "./engine-way.ts";
import { isNoEngine } from "./errors.ts";
import type { EngineAddress } from "./find-engine.ts";
import { type Answered, type Dial, wholeAnswers } from "./whole-answers.ts";

type Options = Readonly<Record<string, unknown>>;
/** All requests of dockerode go through it. Its types do not show all of it. */
type Modem = {
  buildRequest(options: Options, context: unknown, data: unknown, answered?: Answered): void;
  dial: Dial<Request>;
  timeout: number | undefined;
  agent: Agent | undefined;
  headers: Readonly<Record<string, string>>;
};
type Request = {
  method: string;
  path: string;
  options?: Options;
  /** The body, where it is sent as it is read. */
  file?: Readable;
  isStream?: boolean;
  abortSignal?: AbortSignal;
  onSent?: () => void;
};

/** The requests whose answer is a list. */
const lists = /^\/(?:containers\/json|images\/json|networks)(?:\?|$)/;

/**
 * Does not connect yet. `env`: of the programs that lead there. Throws `docker-unreachable` where
 * what the address names cannot be read.
 */
export async function openEngine(address: EngineAddress, env: HostEnvironment): Promise<Docker> {
  const { options, prefix, request: more, reach, kept, isToRepeat } = await wayTo(address, env);
  // Loaded here and not at the top: dockerode takes 50 ms, which commands that need no container
  // should not pay.
  const { default: Docker } = await import("dockerode");
  const docker = open(Docker, address, options);
  const modem: Modem = docker.modem as unknown as Modem;
  const build = modem.buildRequest.bind(modem);
  const dial = wholeAnswers(modem.dial.bind(modem));
  const send: Dial<Request> = (request, answered) => {
    request.onSent?.();
    const short = withShortAddress(request);
    if (kept !== undefined) modem.agent = isLong(request) ? kept.long : kept.short;
    const isList = request.method === "GET" && lists.test(request.path);
    dial({ ...short, path: `${prefix}${short.path}` }, (error, data) =>
      !error && isList && !Array.isArray(data)
        ? answered?.(isNoEngine(), null)
        : answered?.(error, data),
    );
  };
  modem.dial =
    address.kind === "socket"
      ? send
      : (request, answered) => {
          const tell = (error: unknown) => answered?.(error, null);
          const again: Answered = (error, data) => {
            if (!error || isToRepeat?.(error) !== true || isRead(request))
              return answered?.(error, data);
            void reach().then(() => send(request, answered), tell);
          };
          void reach().then(() => send(request, again), tell);
        };
  // dockerode takes it from DOCKER_CLIENT_TIMEOUT, as milliseconds of silence also of a build;
  // others mean seconds by it.
  modem.timeout = undefined;
  // A connection that is kept for the next request may be closed by then, and what cannot be asked
  // twice would fail.
  if (kept === undefined) modem.headers = { ...modem.headers, Connection: "close" };
  modem.buildRequest = (options, context, data, answered) =>
    build({ ...options, ...more, maxRedirects: 0 }, context, data, (error, received) =>
      answered?.(withStatus(error), received),
    );
  return docker;
}

/** Answers that come in pieces, or when something has ended. */
function isLong({ isStream, path }: Request): boolean {
  return isStream === true || /\/(?:wait|stop)\b/.test(path);
}

/** Its body has begun, and would come the second time without its beginning. */
function isRead({ file }: Request): boolean {
  return file !== undefined && Readable.isDisturbed(file);
}

function open(Client: typeof Docker, { by }: EngineAddress, options: EngineWay["options"]): Docker {
  // dockerode reads DOCKER_HOST and its companions by itself, and its host would win over a socket.
  const own = { ca: undefined, cert: undefined, key: undefined, pathPrefix: "/", ...options };
  try {
    return new Client(own as unknown as Docker.DockerOptions);
  } catch (cause) {
    throw new SettError(
      "docker-unreachable",
      `The Docker Engine is named by ${by}, which cannot be used: ${clauseOf(cause)}.`,
      {
        hint: "DOCKER_HOST is `unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`; DOCKER_CERT_PATH is a folder with ca.pem, cert.pem and key.pem.",
        cause,
      },
    );
  }
}

/** A redirect is an answer of the Engine, and no sign that it cannot be reached. */
function withStatus(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith("Max redirects exceeded"))
    return error;
  return Object.assign(new Error("The Engine sends the request elsewhere.", { cause: error }), {
    statusCode: 301,
  });
}

function withShortAddress(request: Request): Request {
  if (!request.path.endsWith("/create?") || request.path.startsWith("/images/")) return request;
  const { abortSignal: _, ...body } = request.options ?? {};
  const query = Object.fromEntries(
    Object.entries(body).filter(([name]) => name === "name" || name === "platform"),
  );
  return { ...request, options: { _query: query, _body: body } };
}
