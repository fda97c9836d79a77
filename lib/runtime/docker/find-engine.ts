// Finds the Docker Engine as the docker command line does: DOCKER_HOST, DOCKER_CONTEXT, the current
// context, the usual socket. Beyond that it looks where other makers leave their sockets, so that
// an Engine without a context is found too.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

/** `by`: what has named it, for sentences. */
export type EngineAddress = { by: string; tried: readonly string[] } & (
  | { kind: "socket"; path: string; isForwarded: boolean }
  // docker's own form, such as `tcp://10.0.0.1:2375`.
  | { kind: "host"; host: string }
);

/**
 * The path of the socket inside a container, and inside the machine of an Engine whose socket is
 * forwarded.
 */
export const usualSocket = "/var/run/docker.sock";

/** A local socket accepts at once, or its owner is stuck. */
const acceptWithinMs = 1_000;

/**
 * Throws `docker-unreachable` where DOCKER_HOST is no address, or the named context does not exist
 * or is not at a socket.
 */
export async function findEngine(env: HostEnvironment): Promise<EngineAddress> {
  const host = env.DOCKER_HOST ?? "";
  if (host !== "" && !isAddress(host)) throw await isNoAddress(host, env);
  if (host !== "") return addressOf(host, "DOCKER_HOST", env);
  const { name, by } = await chosenContext(env);
  if (name !== "" && name !== "default") return await contextAddress(env, name, by);
  return await usualAddress(env);
}

/** The contexts whose Engine listens at a socket of this machine, now. */
export async function answeringContexts(env: HostEnvironment): Promise<string[]> {
  const contexts = await readContexts(env);
  const answers = await Promise.all(
    contexts.map(async ({ host }) => (await accepts(socketIn(host) ?? "")) === "accepts"),
  );
  return contexts.flatMap(({ name }, index) => (answers[index] === true ? [name] : [])).sort();
}

/** The usual sockets at which a process listens, now. */
export async function answeringSockets(env: HostEnvironment): Promise<string[]> {
  const paths = usualSockets(env).map(({ path }) => path);
  const answers = await Promise.all(paths.map(accepts));
  return paths.filter((_, index) => answers[index] === "accepts");
}

/**
 * dockerode would take what it does not know for the name of a host, and report that nothing
 * listens at 127.0.0.1.
 */
function isAddress(host: string): boolean {
  return (
    /^(?:(?:unix|tcp|ssh|https?|npipe):\/\/\S*|[\w.[\]-][\w.:[\]-]*)$/.test(host) &&
    !/^unix:\/[^/]/.test(host)
  );
}

async function isNoAddress(host: string, env: HostEnvironment): Promise<SettError> {
  const [, path] = /^\s*(?:unix:(?:\/\/)?)?(\/\S+)\s*$/.exec(host) ?? [];
  const way =
    path === undefined
      ? "It is `unix:///PATH` or `tcp://HOST:PORT`."
      : `Try \`export DOCKER_HOST=unix://${path}\`.`;
  const message = `DOCKER_HOST is ${host}, which is no address of a Docker Engine.`;
  return new SettError("docker-unreachable", message, { hint: `${way}${await wouldWork(env)}` });
}

async function chosenContext(env: HostEnvironment): Promise<{ name: string; by: string }> {
  const { DOCKER_CONTEXT: named = "" } = env;
  if (named !== "") return { name: named, by: `the context ${named} (DOCKER_CONTEXT)` };
  const file = join(configFolder(env), "config.json");
  const name = textIn(await readJson(file), "currentContext") ?? "";
  return { name, by: `the context ${name} (${file})` };
}

async function contextAddress(
  env: HostEnvironment,
  name: string,
  by: string,
): Promise<EngineAddress> {
  const context = (await readContexts(env)).find((each) => each.name === name);
  if (context === undefined) {
    throw new SettError(
      "docker-unreachable",
      `The Docker Engine is named by ${by}, and there is no such context.`,
      {
        hint: `\`docker context ls\` lists them, and \`docker context use default\` chooses this machine's.${await wouldWork(env)}`,
      },
    );
  }
  if (socketIn(context.host) !== undefined) return addressOf(context.host, by, env);
  throw new SettError(
    "docker-unreachable",
    `The Docker Engine is named by ${by}, which is at ${context.host}, and not at a socket of this machine.`,
    {
      hint: `Sett follows contexts to sockets of this machine only. Choose another one: \`docker context use default\`.${await wouldWork(env)}`,
    },
  );
}

/** A context that cannot be read is left out: `docker context ls` names it. */
async function readContexts(env: HostEnvironment): Promise<{ name: string; host: string }[]> {
  const folder = join(configFolder(env), "contexts", "meta");
  const ids = await readdir(folder).catch(() => []);
  const read = await Promise.all(
    ids.map(async (id) => ({ id, meta: await readJson(join(folder, id, "meta.json")) })),
  );
  return read.flatMap(({ id, meta }) => {
    const name = textIn(meta, "Name");
    const host = textIn(meta, "Endpoints", "docker", "Host");
    // docker finds a context by the digest of its name, and by nothing else.
    const isFound = name !== undefined && createHash("sha256").update(name).digest("hex") === id;
    return isFound && host !== undefined ? [{ name, host }] : [];
  });
}

/**
 * The first usual socket that takes connections; one that only refuses this user is taken as well,
 * since it is the one that docker would use. Where none does, the usual socket of docker.
 */
async function usualAddress(env: HostEnvironment): Promise<EngineAddress> {
  const tried: string[] = [];
  for (const { path, isForwarded } of usualSockets(env)) {
    tried.push(path);
    const state = await accepts(path);
    if (state !== "refuses")
      return { kind: "socket", path, isForwarded, by: `the usual socket ${path}`, tried };
  }
  return { kind: "socket", path: usualSocket, isForwarded: false, by: "the usual sockets", tried };
}

function usualSockets(env: HostEnvironment): { path: string; isForwarded: boolean }[] {
  const home = homeOf(env);
  const user = process.getuid?.();
  const runtime = env.XDG_RUNTIME_DIR || (user === undefined ? undefined : `/run/user/${user}`);
  const own = (...parts: string[]) => ({ path: join(home, ...parts), isForwarded: true });
  return [
    { path: usualSocket, isForwarded: false },
    // Docker Desktop, on macOS and on Linux.
    own(".docker", "run", "docker.sock"),
    own(".docker", "desktop", "docker.sock"),
    own(".orbstack", "run", "docker.sock"),
    {
      path: join(env.COLIMA_HOME || join(home, ".colima"), "default", "docker.sock"),
      isForwarded: true,
    },
    {
      path: join(env.XDG_CONFIG_HOME || join(home, ".config"), "colima", "default", "docker.sock"),
      isForwarded: true,
    },
    // Rancher Desktop.
    own(".rd", "docker.sock"),
    ...(runtime === undefined ? [] : [{ path: join(runtime, "docker.sock"), isForwarded: false }]),
  ];
}

function addressOf(host: string, by: string, env: HostEnvironment): EngineAddress {
  const path = socketIn(host);
  if (path === undefined) return { kind: "host", host, by, tried: [host] };
  const isForwarded = usualSockets(env).some((each) => each.isForwarded && each.path === path);
  return { kind: "socket", path, isForwarded, by, tried: [path] };
}

/** `unix://` alone is docker's usual socket. */
function socketIn(host: string): string | undefined {
  return host.startsWith("unix://") ? host.slice("unix://".length) || usualSocket : undefined;
}

type Acceptance = "accepts" | "forbids" | "refuses";

async function accepts(path: string): Promise<Acceptance> {
  if (path === "") return "refuses";
  return await new Promise<Acceptance>((resolve) => {
    const socket = connect({ path });
    const end = (state: Acceptance) => {
      resolve(state);
      socket.destroy();
    };
    // An Engine that is stuck was found all the same: the request to it says so, after its own
    // limit.
    socket.setTimeout(acceptWithinMs, () => end("accepts"));
    socket.once("connect", () => end("accepts"));
    socket.once("error", (error) =>
      end("code" in error && /^E(?:ACCES|PERM)$/.test(String(error.code)) ? "forbids" : "refuses"),
    );
  });
}

/** A sentence that begins with a space, or nothing. */
export async function wouldWork(env: HostEnvironment): Promise<string> {
  const [context] = await answeringContexts(env);
  const isOverruled = (env.DOCKER_HOST ?? "") !== "" || (env.DOCKER_CONTEXT ?? "") !== "";
  if (context !== undefined) {
    const way = isOverruled
      ? `unset DOCKER_HOST; export DOCKER_CONTEXT=${context}`
      : `docker context use ${context}`;
    return ` The context ${context} answers: \`${way}\`.`;
  }
  const [path] = await answeringSockets(env);
  return path === undefined
    ? ""
    : ` An Engine answers at ${path}: \`export DOCKER_HOST=unix://${path}\`.`;
}

function configFolder(env: HostEnvironment): string {
  return env.DOCKER_CONFIG || join(homeOf(env), ".docker");
}

function homeOf(env: HostEnvironment): string {
  return env.HOME || homedir();
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** The text at this path of keys; undefined where the document has another shape. */
function textIn(document: unknown, ...keys: readonly string[]): string | undefined {
  const found = keys.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? Object.getOwnPropertyDescriptor(value, key)?.value
        : undefined,
    document,
  );
  return typeof found === "string" ? found : undefined;
}

/** As `unreachable` of errors.ts, with what was tried and what would work. */
export async function explainUnreachable(
  error: unknown,
  address: EngineAddress,
  env: HostEnvironment,
): Promise<unknown> {
  if (!(error instanceof SettError) || error.code !== "docker-unreachable") return error;
  const tried = `Tried: ${address.tried.join(", ")} (by ${address.by}).`;
  const hint = `${error.hint ?? ""} ${tried}${await wouldWork(env)}`.trim();
  return new SettError(error.code, messageOf(error), { hint, cause: error.cause });
}
