// A client of the Engine that follows no redirect: an Engine redirects only what it does not know,
// and the target would be a host that no setting names, to which a failed connection would end this
// process. What is to be created is in the body of its request alone: dockerode repeats it in the
// address, passwords and all, where proxies log it, and refuse it as too long.
import type Docker from "dockerode";
import { messageOf, SettError } from "../../model/errors.ts";
import { isNoEngine } from "./errors.ts";
import type { EngineAddress } from "./find-engine.ts";
import { type Answered, type Dial, wholeAnswers } from "./whole-answers.ts";

type Options = Readonly<Record<string, unknown>>;
/** All requests of dockerode go through it. Its types do not show all of it. */
type Modem = {
  buildRequest(options: Options, context: unknown, data: unknown, answered?: Answered): void;
  dial: Dial<Request>;
  timeout: number | undefined;
  host: string | undefined;
  port: string | number;
  protocol: string;
  headers: Readonly<Record<string, string>>;
};
type Request = {
  method: string;
  path: string;
  options?: Options;
  isStream?: boolean;
  abortSignal?: AbortSignal;
};

/** The requests whose answer is a list. */
const lists = /^\/(?:containers\/json|images\/json|networks)(?:\?|$)/;

/**
 * Does not connect yet. Throws `docker-unreachable` where DOCKER_HOST, or what its companions name,
 * cannot be read.
 */
export async function openEngine(address: EngineAddress): Promise<Docker> {
  // Loaded here and not at the top: dockerode takes 50 ms, which commands that need no container
  // should not pay.
  const { default: Docker } = await import("dockerode");
  const docker = open(Docker, address);
  const modem: Modem = docker.modem as unknown as Modem;
  const build = modem.buildRequest.bind(modem);
  const dial = wholeAnswers(modem.dial.bind(modem));
  const prefix = address.kind === "host" ? completeHost(modem, address.host) : "";
  modem.dial = (request, answered) => {
    const short = withShortAddress(request);
    const isList = request.method === "GET" && lists.test(request.path);
    dial({ ...short, path: `${prefix}${short.path}` }, (error, data) =>
      !error && isList && !Array.isArray(data)
        ? answered?.(isNoEngine(), null)
        : answered?.(error, data),
    );
  };
  // dockerode takes it from DOCKER_CLIENT_TIMEOUT, as milliseconds of silence also of a build;
  // others mean seconds by it.
  modem.timeout = undefined;
  // A connection that is kept for the next request may be closed by then, and what cannot be asked
  // twice would fail.
  modem.headers = { ...modem.headers, Connection: "close" };
  modem.buildRequest = (options, context, data, answered) =>
    build({ ...options, maxRedirects: 0 }, context, data, (error, received) =>
      answered?.(withStatus(error), received),
    );
  return docker;
}

function open(Client: typeof Docker, address: EngineAddress): Docker {
  try {
    // dockerode reads DOCKER_HOST and its companions by itself, and its host would win over a
    // socket.
    if (address.kind === "host") return new Client();
    return new Client({ socketPath: address.path, host: undefined, protocol: "http" });
  } catch (cause) {
    throw new SettError(
      "docker-unreachable",
      `The Docker Engine is named by ${address.by}, which cannot be used: ${messageOf(cause)}.`,
      {
        hint: "DOCKER_HOST is `unix:///PATH` or `tcp://HOST:PORT`; DOCKER_CERT_PATH is a folder with ca.pem, cert.pem and key.pem.",
        cause,
      },
    );
  }
}

/**
 * What docker takes for granted in an address `tcp://HOST:PORT/PATH`, and dockerode does not: host,
 * port, and that all of the API is below the path. Returns the path, without a slash at its end.
 */
function completeHost(modem: Modem, host: string): string {
  const { protocol, pathname } = new URL(host.includes("//") ? host : `tcp://${host}`);
  if (protocol !== "tcp:") return "";
  if (modem.host === "") modem.host = "localhost";
  if (modem.port === "") modem.port = modem.protocol === "https" ? 2376 : 2375;
  return pathname.replace(/\/+$/, "");
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
