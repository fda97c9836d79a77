// Finds the Docker Engine as the docker command line does: DOCKER_HOST, DOCKER_CONTEXT, the current
// context, the usual socket. Beyond that it looks where other makers leave their sockets, so that
// an Engine without a context is found too.
import { createHash } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import { parseJson } from "../../model/json.ts";
import { shellWord } from "../../model/shell-word.ts";
import {
  configFolder,
  type HostEnvironment,
  homeOf,
  memberOf,
  readDockerConfig,
  readJson,
  textIn,
  unreadableConfig,
} from "./docker-config.ts";

/** `by`: what has named it, for sentences. */
export type EngineAddress = { by: string; tried: readonly string[] } & (
  | { kind: "socket"; path: string; isForwarded: boolean }
  // docker's own form, such as `tcp://10.0.0.1:2375`.
  | { kind: "host"; host: string; tls: TlsFiles | undefined }
  // `ssh://user@host:port`; a path in it is that of the socket there.
  | { kind: "ssh"; host: string }
);

/**
 * `folder`: may have ca.pem, cert.pem and key.pem. Without `isVerified` any certificate will do, as
 * docker's own settings say.
 */
export type TlsFiles = { folder: string; isVerified: boolean };

/**
 * The path of the socket inside a container, and inside the machine of an Engine whose socket is
 * forwarded.
 */
export const usualSocket = "/var/run/docker.sock";

/** A local socket accepts at once, or its owner is stuck. */
const acceptWithinMs = 1_000;

/**
 * Throws `docker-unreachable` where DOCKER_HOST is no address, or the named context does not exist
 * or cannot be read.
 */
export async function findEngine(env: HostEnvironment): Promise<EngineAddress> {
  // docker leaves blanks out as well, and asks no context where nothing else is there.
  const host = (env.DOCKER_HOST ?? "").trim();
  if (host !== "" && !isAddress(host)) throw await isNoAddress(host, env);
  if (host !== "") return await addressOf(host, "DOCKER_HOST", env, tlsOf(host, env));
  if ((env.DOCKER_HOST ?? "") !== "") return await usualAddress(env);
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
  const paths = usualSockets(env);
  const answers = await Promise.all(paths.map(accepts));
  return paths.filter((_, index) => answers[index] === "accepts");
}

/**
 * dockerode would take what it does not know for the name of a host, and report that nothing
 * listens at 127.0.0.1.
 */
function isAddress(host: string): boolean {
  const forms = [
    /^unix:\/\/.*$/,
    /^(?:tcp|ssh|https?|npipe):\/\/(?!:)\S*$/,
    /^[\w.[\]-][\w.:[\]-]*$/,
  ];
  return forms.some((form) => form.test(host));
}

async function isNoAddress(host: string, env: HostEnvironment): Promise<SettError> {
  const [, path] = /^(?:unix:)?(\/.+)$/.exec(host) ?? [];
  const [, port] = /^(?:tcp:\/\/)?:(\d+)$/.exec(host) ?? [];
  const meant = path !== undefined ? `unix://${path}` : port && `tcp://localhost:${port}`;
  const way =
    meant === undefined
      ? "It is `unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`."
      : `Try \`export DOCKER_HOST=${shellWord(meant)}\`.`;
  const message = `DOCKER_HOST is ${host}, which is no address of a Docker Engine.`;
  return new SettError("docker-unreachable", message, { hint: `${way}${await wouldWork(env)}` });
}

async function chosenContext(env: HostEnvironment): Promise<{ name: string; by: string }> {
  const { DOCKER_CONTEXT: named = "" } = env;
  if (named !== "") return { name: named, by: `the context ${named} (DOCKER_CONTEXT)` };
  const file = join(configFolder(env), "config.json");
  const name = textIn(await readDockerConfig(env), "currentContext") ?? "";
  return { name, by: `the context ${name} (${file})` };
}

async function contextAddress(
  env: HostEnvironment,
  name: string,
  by: string,
): Promise<EngineAddress> {
  const file = contextFile(env, idOf(name));
  const refuse = async (problem: string, remedy: string) =>
    new SettError("docker-unreachable", `The Docker Engine is named by ${by}, ${problem}.`, {
      hint: `${remedy}${await wouldWork(env)}`,
    });
  const other =
    (env.DOCKER_CONTEXT ?? "") === ""
      ? "`docker context use default` chooses this machine's."
      : "Without DOCKER_CONTEXT it is the current one: `unset DOCKER_CONTEXT`.";
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error && /^ENO(?:ENT|TDIR)$/.test(text.code ?? ""))
    throw await refuse(
      "and there is no such context",
      `\`docker context ls\` lists them. ${other}`,
    );
  const meta = text instanceof Error ? undefined : parseJson(text);
  if (meta === undefined) {
    const why = text instanceof Error ? messageOf(text) : "it is no JSON";
    throw await refuse(
      `and its file ${file} cannot be read: ${why}`,
      `Make the context anew (\`docker context rm ${name}\`, \`docker context create\`), or choose another one. ${other}`,
    );
  }
  if (!hasEngine(meta)) throw await refuse("which names no Docker Engine", other);
  const host = textIn(meta, "Endpoints", "docker", "Host") ?? "";
  // For docker such a context means the usual place.
  if (host === "") return await usualAddress(env);
  if (!isAddress(host)) throw await refuse(`which is at ${host}, which is no address`, other);
  return await addressOf(host, by, env, await contextTls(env, name, meta));
}

/** By the variables of docker. A certificate that is not looked at is what DOCKER_TLS means. */
function tlsOf(host: string, env: HostEnvironment): TlsFiles | undefined {
  const isVerified = (env.DOCKER_TLS_VERIFY ?? "") !== "" || host.startsWith("https:");
  if (!isVerified && (env.DOCKER_TLS ?? "") === "") return undefined;
  return { folder: env.DOCKER_CERT_PATH || configFolder(env), isVerified };
}

/** docker speaks TLS with a context that has anything to do with it. */
async function contextTls(
  env: HostEnvironment,
  name: string,
  meta: unknown,
): Promise<TlsFiles | undefined> {
  const folder = join(configFolder(env), "contexts", "tls", idOf(name), "docker");
  const files = await readdir(folder).catch(() => []);
  const endpoint = memberOf(memberOf(meta, "Endpoints"), "docker");
  const isVerified = memberOf(endpoint, "SkipTLSVerify") !== true;
  return files.length === 0 && isVerified ? undefined : { folder, isVerified };
}

/** docker finds a context by the digest of its name, and by nothing else. */
function idOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

function contextFile(env: HostEnvironment, id: string): string {
  return join(configFolder(env), "contexts", "meta", id, "meta.json");
}

function hasEngine(meta: unknown): boolean {
  return typeof memberOf(memberOf(meta, "Endpoints"), "docker") === "object";
}

/** A context that cannot be read is left out: `docker context ls` names it. */
async function readContexts(env: HostEnvironment): Promise<{ name: string; host: string }[]> {
  const folder = join(configFolder(env), "contexts", "meta");
  const ids = await readdir(folder).catch(() => []);
  const read = await Promise.all(
    ids.map(async (id) => ({ id, meta: await readJson(contextFile(env, id)) })),
  );
  return read.flatMap(({ id, meta }) => {
    const name = textIn(meta, "Name");
    const host = textIn(meta, "Endpoints", "docker", "Host");
    return name !== undefined && idOf(name) === id && host !== undefined ? [{ name, host }] : [];
  });
}

/**
 * The first usual socket that takes connections; one that only refuses this user is taken as well,
 * since it is the one that docker would use. Where none does, the usual socket of docker.
 */
async function usualAddress(env: HostEnvironment): Promise<EngineAddress> {
  const tried: string[] = [];
  const trouble = await unreadableConfig(env);
  const since = trouble === undefined ? "" : `, since ${trouble}`;
  for (const path of usualSockets(env)) {
    tried.push(path);
    if ((await accepts(path)) !== "refuses")
      return { ...(await socketAt(path, env)), by: `the usual socket ${path}${since}`, tried };
  }
  return { ...(await socketAt(usualSocket, env)), by: `the usual sockets${since}`, tried };
}

function usualSockets(env: HostEnvironment): string[] {
  const home = homeOf(env);
  const user = process.getuid?.();
  const runtime = env.XDG_RUNTIME_DIR || (user === undefined ? undefined : `/run/user/${user}`);
  return [
    usualSocket,
    // Docker Desktop, on macOS and on Linux.
    join(home, ".docker", "run", "docker.sock"),
    join(home, ".docker", "desktop", "docker.sock"),
    join(home, ".orbstack", "run", "docker.sock"),
    ...colimaFolders(env).map((folder) => join(folder, "default", "docker.sock")),
    // Rancher Desktop.
    join(home, ".rd", "docker.sock"),
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock")]),
  ];
}

function colimaFolders(env: HostEnvironment): string[] {
  const home = homeOf(env);
  return [
    env.COLIMA_HOME || join(home, ".colima"),
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "colima"),
  ];
}

/**
 * Folders in which a program on this machine puts sockets that lead to an Engine in another one.
 * Each profile of Colima and each machine of Lima has a folder of its own below.
 */
function forwardingFolders(env: HostEnvironment): string[] {
  const home = homeOf(env);
  const names = [".docker/run", ".docker/desktop", ".orbstack", ".rd", ".lima"];
  return [...names.map((name) => join(home, name)), ...colimaFolders(env)];
}

async function addressOf(
  host: string,
  by: string,
  env: HostEnvironment,
  tls: TlsFiles | undefined,
): Promise<EngineAddress> {
  const path = socketIn(host);
  if (host.startsWith("ssh:")) return { kind: "ssh", host, by, tried: [host] };
  if (path === undefined) return { kind: "host", host, tls, by, tried: [host] };
  return { ...(await socketAt(path, env)), by, tried: [path] };
}

async function socketAt(path: string, env: HostEnvironment) {
  // Where it is allowed, Docker Desktop makes the usual socket a link to its own.
  const real = await realpath(path).catch(() => path);
  const folders = await Promise.all(
    forwardingFolders(env).map(async (folder) => [
      folder,
      await realpath(folder).catch(() => folder),
    ]),
  );
  const isForwarded = folders
    .flat()
    .some((folder) => [path, real].some((each) => each.startsWith(`${folder}/`)));
  return { kind: "socket" as const, path, isForwarded };
}

/** `unix://` alone is docker's usual socket. */
function socketIn(host: string): string | undefined {
  const [, path] = /^unix:\/\/(.*)$/.exec(host) ?? [];
  return path === undefined ? undefined : resolve(path || usualSocket);
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
    // `docker context use` would write a new file in the place of one that it cannot read.
    const isSafe = !isOverruled && (await unreadableConfig(env)) === undefined;
    const way = isSafe
      ? `docker context use ${context}`
      : `unset DOCKER_HOST; export DOCKER_CONTEXT=${context}`;
    return ` The context ${context} answers: \`${way}\`.`;
  }
  const [path] = await answeringSockets(env);
  return path === undefined
    ? ""
    : ` An Engine answers at ${path}: \`export DOCKER_HOST=${shellWord(`unix://${path}`)}\`.`;
}

/** As `unreachable` of errors.ts, with what was tried and what would work. */
export async function explainUnreachable(
  error: unknown,
  address: EngineAddress,
  env: HostEnvironment,
): Promise<unknown> {
  if (!(error instanceof SettError) || error.code !== "docker-unreachable") return error;
  const tried = `Tried: ${address.tried.join(", ")} (by ${address.by}).`;
  // Further lines are about what such a failure has left.
  const [first = "", ...more] = (error.hint ?? "").split("\n");
  const hint = [`${first} ${tried}${await wouldWork(env)}`.trim(), ...more].join("\n");
  return new SettError(error.code, messageOf(error), { hint, cause: error.cause });
}
