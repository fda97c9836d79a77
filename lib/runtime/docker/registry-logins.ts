// The logins that a person has given to docker (`docker login`), for the registries from which the
// Engine takes images. The Engine knows none itself: its client sends them with each request.
import { spawn } from "node:child_process";
import { messageOf } from "../../model/errors.ts";
import { parseJson } from "../../model/json.ts";
import { type HostEnvironment, memberOf, readDockerConfig, textIn } from "./docker-config.ts";

/** As the Engine takes it. An identity token is in place of a user and a password. */
export type Login = {
  serveraddress: string;
  username?: string;
  password?: string;
  identitytoken?: string;
};

/** `problem`: why docker's own settings give no login, as a sentence. */
export type FoundLogin = { registry: string; login?: Login; problem?: string };

/** Docker Hub, as docker's settings call it. */
const hub = "https://index.docker.io/v1/";
/** How long a helper may take: it may ask the person for the password of a keyring. */
const helperMs = 60_000;

/**
 * `a.example.org:5000/b/c:d` comes from `a.example.org:5000`, and `b/c` from Docker Hub. As the
 * Engine reads names: no user of Docker Hub has a capital letter, so that `Host/c` names a machine.
 */
export function registryOf(image: string): string {
  const [first = "", ...path] = image.split("/");
  const isHost =
    path.length > 0 && (/[.:]|^localhost$/.test(first) || first !== first.toLowerCase());
  return isHost && !/^(?:index\.)?docker\.io$/.test(first) ? first : hub;
}

/** The name of a registry for people, and for `docker login`. */
export function registryName(registry: string): string {
  return registry === hub ? "docker.io" : registry;
}

/** All registries for which docker has a login, or a helper of its own. */
export async function knownRegistries(env: HostEnvironment): Promise<string[]> {
  const documents = await documentsOf(env);
  const keys = documents.flatMap((document) =>
    ["auths", "credHelpers"].flatMap((key) => Object.keys(Object(memberOf(document, key)))),
  );
  return [...new Set(keys.map(hostOf))];
}

/** As docker looks: the helper of this registry, that of all, then the file itself. */
export async function findLogin(registry: string, env: HostEnvironment): Promise<FoundLogin> {
  const [ofVariable, config] = await documentsOf(env);
  const login = loginIn(ofVariable, registry);
  if (login !== undefined) return { registry, login };
  const named = Object.entries(Object(memberOf(config, "credHelpers"))).find(
    ([key]) => hostOf(key) === registry,
  )?.[1];
  const helper = typeof named === "string" ? named : textIn(config, "credsStore");
  if (helper !== undefined && helper !== "") return await askHelper(helper, registry, env);
  const kept = loginIn(config, registry);
  return { registry, ...(kept !== undefined && { login: kept }) };
}

/**
 * Returns what the sentence about a refusal needs: whether anybody has logged in, and how to.
 * Undefined where the reason is another one.
 */
export function loginHint(reason: string, found: readonly FoundLogin[]): string | undefined {
  if (!isRefusal.test(reason)) return undefined;
  const named = found.filter(({ registry }) => reason.includes(registryName(registry)));
  const meant = named.length > 0 ? named : found;
  return meant.map(hintFor).join(" ") || undefined;
}

/** Whether a build has failed at an image that it pulls. `reason`: in the Engine's words. */
export function isOfPull(reason: string): boolean {
  return ofPull.test(reason) && !ofStep.test(reason);
}

/** The last two are BuildKit's, of a registry that asks for a name and a password itself. */
const ofPull =
  /pull access denied|\/v2\/|unauthorized:|failed to (?:resolve|authorize|load metadata)|pulling from host|error getting credentials/i;

/** It quotes the script of the step, which may have the same words. */
const ofStep = /executor failed running \[|process ".*" did not complete/s;

const isRefusal =
  /error getting credentials|unauthorized|authentication required|no basic auth credentials|access denied|denied:|insufficient_scope|failed to authorize|\b40[13]\b/i;

function hintFor({ registry, login, problem }: FoundLogin): string {
  const name = registryName(registry);
  const remedy = `\`docker login ${name}\``;
  if (problem !== undefined) return `${problem} ${remedy} sets it anew.`;
  if (login === undefined)
    return `docker has no login for ${name}, which a private image needs: ${remedy}. Sett uses what docker knows.`;
  const whose = login.username === undefined ? "" : ` of ${login.username}`;
  return `Sett has sent docker's login${whose}, with which ${name} does not give it: is the name right, and may that account read it? Another one: ${remedy}.`;
}

/** The variable of docker's own comes before the file. */
async function documentsOf(env: HostEnvironment): Promise<[ofVariable: unknown, config: unknown]> {
  return [parseJson(env.DOCKER_AUTH_CONFIG ?? ""), await readDockerConfig(env)];
}

function loginIn(document: unknown, registry: string): Login | undefined {
  const auths = Object.entries(Object(memberOf(document, "auths")));
  const [, entry] =
    auths.find(([key]) => key === registry) ??
    auths.find(([key]) => hostOf(key) === registry) ??
    [];
  const identitytoken = textIn(entry, "identitytoken");
  if (identitytoken !== undefined && identitytoken !== "")
    return { serveraddress: registry, identitytoken };
  const both = Buffer.from(textIn(entry, "auth") ?? "", "base64").toString();
  const colon = both.indexOf(":");
  const username = colon > 0 ? both.slice(0, colon) : textIn(entry, "username");
  // docker fills what it stores with zeros.
  const password =
    colon > 0 ? both.slice(colon + 1).replace(/\0+$/, "") : textIn(entry, "password");
  return username === undefined || username === "" || password === undefined
    ? undefined
    : { serveraddress: registry, username, password };
}

/** Older settings have an address where newer ones have a host. */
function hostOf(key: string): string {
  if (key === hub) return hub;
  const host = key.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return /^(?:index\.)?docker\.io$/.test(host) ? hub : host;
}

async function askHelper(
  helper: string,
  registry: string,
  env: HostEnvironment,
): Promise<FoundLogin> {
  const program = `docker-credential-${helper}`;
  const failed = (problem: string): FoundLogin => ({
    registry,
    problem: `docker's login for ${registryName(registry)} is kept by \`${program}\`, and ${problem}.`,
  });
  try {
    const { code, text } = await runHelper(program, registry, env);
    if (code === 0) {
      const answer = parseJson(text);
      const username = textIn(answer, "Username");
      const password = textIn(answer, "Secret");
      if (username === undefined || password === undefined)
        return failed("its answer has no login");
      const serveraddress = registry;
      return username === "<token>"
        ? { registry, login: { serveraddress, identitytoken: password } }
        : { registry, login: { serveraddress, username, password } };
    }
    const said = text.trim().split("\n", 1)[0]?.slice(0, 300) ?? "";
    // The words of docker's own helpers.
    if (/credentials not found/i.test(said)) return { registry };
    if (code === null) return failed(`it did not answer within ${helperMs / 1_000} s`);
    return failed(said === "" ? `it ended with code ${code}` : `it says: ${said}`);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return failed(isMissing ? "this program is not on the PATH" : `it fails: ${messageOf(error)}`);
  }
}

/** The protocol of docker's helpers: the registry on stdin, JSON or a reason on stdout. */
async function runHelper(
  program: string,
  registry: string,
  env: HostEnvironment,
): Promise<{ code: number | null; text: string }> {
  const child = spawn(program, ["get"], {
    env: { ...env },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: helperMs,
    killSignal: "SIGKILL",
  });
  // A helper may end before it has read.
  child.stdin.on("error", () => {});
  child.stdin.end(registry);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  return { code, text };
}
