// How the parts that run from images get what they need, whichever runtime has their containers.
// Pure.
import type { Cage } from "../model/cage.ts";
import { type Proof, provenPort, sealed, writeAddress } from "../model/proven-address.ts";
import { isServiceName } from "../model/services.ts";
import { splitSecret } from "../model/split-secret.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import type { ContainerSpec, Mount } from "./container-spec.ts";
import type { PartLabels } from "./labels.ts";
import { serviceContainer } from "./names.ts";
import type { Need, PartPlan } from "./part-plan.ts";

const mebibyte = 1024 ** 2;
export const socketFolder = "/run/sett";
/** The folder of the cub, and of git with its libraries. */
export const carrierPath = "/cub";

type Variables = Record<string, string>;
type Of<Kind extends Need["kind"]> = Extract<Need, { kind: Kind }>;

/** It listens where its network ends. */
export function portVariables({ healthPort, ports = [] }: PartPlan): Variables {
  const health = healthPort === undefined ? {} : { SETT_HEALTH_PORT: String(healthPort) };
  const others = ports.map(({ port, variables }) =>
    variables === undefined
      ? {}
      : { [variables.port]: String(port), [variables.address]: "0.0.0.0" },
  );
  return Object.assign({}, health, ...others);
}

/** `socket`: where a script answers others. */
export function startOf(
  { start, ports = [] }: PartPlan,
  socket: string | undefined,
): Pick<ContainerSpec, "entrypoint" | "command"> {
  if (start === undefined) return {};
  if ("args" in start) return { command: start.args };
  if ("sleep" in start) return { entrypoint: ["/bin/sleep", start.sleep] };
  const at = { port: ports[0]?.port ?? 0, ...withoutUndefined({ socket }) };
  return { entrypoint: ["sh", "-c", start.script(at)] };
}

export function filesVariables({ target, commits, secrets }: Of<"files">): Variables {
  return {
    [commits]: target,
    ...(secrets && { [secrets.variable]: `${target}/${secrets.folder}` }),
  };
}

/** The repository is not to be seen: the part makes a copy. */
export function copyVariables({ copy, filesVariable }: Of<"repository">): Variables {
  return { [copy.variable]: copy.folder, [filesVariable]: "false" };
}

/** `password`: of the cub, without which the key in the address is none. */
export function provenAddress(
  door: string,
  proof: Proof,
  { labels, password }: { labels: PartLabels; password: string | undefined },
): string | undefined {
  if (!isServiceName(door)) return undefined;
  const address = { ...proof, host: serviceContainer(labels.instance, door), port: provenPort };
  return writeAddress(password === undefined ? address : sealed(address, password));
}

export function passwordOf({ needs }: PartPlan): string | undefined {
  return needs.flatMap((need) => (need.kind === "redis" ? [need.login.password] : []))[0];
}

/** `at`: where Redis is. A command of the agent may look into other programs of its container. */
export function redisVariables(
  { login: { name, password } }: Of<"redis">,
  { needs }: PartPlan,
  at: { scheme: string; place: string },
): Variables {
  const isSplit = needs.some(({ kind }) => kind === "cub");
  const login = isSplit ? name : `${name}:${password}`;
  const half = isSplit ? { SETT_LOGIN: splitSecret(password).environment } : {};
  return { REDIS_URL: `${at.scheme}://${login}@${at.place}`, ...half };
}

/**
 * It is reached by TLS: its sockets, or the only one, are for itself alone, and so are its other
 * ports. Undefined where it has no key.
 */
export function servedByTls({
  door,
  agents,
  variable,
  key,
}: Of<"serve">): { mounts: Mount[]; env: Variables } | undefined {
  if (key === undefined || variable === undefined) return undefined;
  const folder = `${socketFolder}/${door}`;
  return {
    mounts: [{ kind: "tmpfs", target: folder, sizeBytes: mebibyte }],
    env: {
      [variable]: agents === undefined ? `${folder}/${door}.sock` : folder,
      SETT_REACH_KEY: key,
      SETT_REACH_PORT: String(provenPort),
      SETT_HEALTH_HOST: "127.0.0.1",
    },
  };
}

/** The cub and git have their own libraries; the agent's command gets the value of its image. */
export function cubOf(
  { needs, resources }: PartPlan,
  network: Cage["network"],
): { env: Variables; entrypoint: string[] } {
  const halves = needs.flatMap((need) =>
    need.kind === "redis" ? [splitSecret(need.login.password).argument] : [],
  );
  const { openFiles, fileBytes, pendingSignals, queueBytes } = resources;
  const limits = withoutUndefined({ openFiles, fileBytes, pendingSignals, queueBytes });
  const cage: Cage = { network, limits };
  return {
    env: {
      SETT_GIT_BINARY: `${carrierPath}/git`,
      SETT_GIT_LIBRARY_PATH: carrierPath,
      LD_LIBRARY_PATH: carrierPath,
      SETT_CAGE: JSON.stringify(cage),
    },
    entrypoint: [`${carrierPath}/cub`, ...halves.map((half) => `--login=${half}`)],
  };
}
