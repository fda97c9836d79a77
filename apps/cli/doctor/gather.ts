// Gathers all that `sett doctor` judges. What cannot be read is a fact, too: nothing here fails
// because something is broken.
import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { SettError } from "../../../lib/model/errors.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import type { NotedLog } from "../facts/noted-log.ts";
import { findInstance, hasAnything } from "../instance/find-instance.ts";
import { publicNetworksOf } from "../instance/machine-networks.ts";
import { gitOf } from "../instance/packs-place.ts";
import { howItRuns } from "../instance/parts.ts";
import { elsewhereIn, findRedisPlace, isServing, redisUrlsOf } from "../instance/place.ts";
import { readRetention } from "../instance/retention.ts";
import { everyInstance, type RuntimeName } from "../instance/runtimes.ts";
import { workspaceOf } from "../instance/workspace-of.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import type {
  Disk,
  DoctorFacts,
  EngineFacts,
  InstanceFacts,
  LayerFacts,
  PartFacts,
  RedisFacts,
} from "./facts.ts";
import { readBodiesThere } from "./read-bodies-there.ts";
import { readRecord } from "./read-record.ts";
import { readRedis, silent } from "./read-redis.ts";
import { readSecretsFacts } from "./read-secrets.ts";
import { readWatches } from "./read-watches.ts";

/** For each answer of an Engine, which may be stuck. */
const limitMs = 10_000;

/**
 * Throws `usage`, and `instance-not-found` for a `name` that no instance has where the Engine
 * answers.
 */
export async function gather(shell: Shell, name: string | undefined): Promise<DoctorFacts> {
  const workspace = await workspaceRoot(shell.cwd);
  const [git, disk, engine] = await Promise.all([
    gitVersion(),
    diskAt(workspace ?? shell.cwd),
    readEngine(shell.env),
  ]);
  const read = await readInstance(shell, name, engine);
  const machineNetworks = publicNetworksOf(networkInterfaces());
  const [version, isInRepository, watches] = [
    shell.version,
    workspace !== undefined,
    readWatches(),
  ];
  const secrets = await readSecretsFacts(shell);
  return { version, git, disk, isInRepository, watches, secrets, machineNetworks, ...read };
}

async function gitVersion(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)("git", ["--version"]).catch(() => ({ stdout: "" }));
  return /\d[\d.]*/.exec(stdout)?.[0];
}

/** Undefined where it cannot be seen from here. */
async function diskAt(path: string): Promise<Disk | undefined> {
  const found = await statfs(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const { bavail, blocks, bsize, files, ffree } = found;
  const room = { path, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  return files > 0 ? { ...room, files: { free: ffree, total: files } } : room;
}

async function readEngine(env: Shell["env"]): Promise<EngineFacts> {
  try {
    const { dockerSurvey } = await import("../../../lib/runtime/docker/survey.ts");
    const survey = await (await dockerSurvey(env, limitMs)).engine();
    // An Engine of another machine has its folder there.
    return { state: "answers", ...survey, disk: await diskAt(survey.rootDir) };
  } catch (error) {
    if (error instanceof SettError) return silent(error);
    throw error;
  }
}

type Read = Pick<DoctorFacts, "engine" | "instance" | "cluster">;

/** `engine`: silent, too, where it does not answer about its containers. */
async function readInstance(
  shell: Shell,
  name: string | undefined,
  engine: EngineFacts,
): Promise<Read> {
  if ((shell.env.REDIS_URL ?? "") !== "") {
    const { instance, redisUrl } = await findRedisPlace(shell, name);
    const redis = await readRedis({ redisUrl }, instance, async () => undefined);
    const record =
      redis.state === "silent"
        ? undefined
        : await readRecord({ instance, redisUrl }, { retention: await readRetention(shell) });
    return {
      engine,
      instance: {
        name: instance,
        runtime: "remote",
        state: "known by REDIS_URL",
        redis,
        record,
        parts: [],
        exchange: undefined,
      },
    };
  }
  const { instances, problems } = await everyInstance(shell, { limitMs });
  const [dockerProblem, clusterProblem] = [problems.get("docker"), problems.get("kubernetes")];
  const answering =
    dockerProblem === undefined || engine.state === "silent" ? engine : silent(dockerProblem);
  const isAllSeen = answering.state === "answers" && clusterProblem === undefined;
  const found = await ownInstance(instances, shell, name, isAllSeen);
  const cluster = clusterProblem && silent(clusterProblem);
  if (found === undefined) return { engine: answering, instance: undefined, cluster };
  const runtime = instances.find((one) => one === found)?.runtime ?? "docker";
  const parts = await Promise.all(
    found.containers.map((part) => readPart(part, runtime, shell.env)),
  );
  const state = howItRuns(found) ?? "down";
  const redis = await redisOfInstance(found, runtime, shell.env);
  const record =
    redis === undefined || redis.state === "silent"
      ? undefined
      : await readRecord(
          { instance: found.instance, ...redisUrlsOf(found) },
          { retention: await readRetention(shell), noted: await notedLog(found, shell) },
        );
  const bodies = record?.state === "answers" ? await readBodiesThere(shell, found) : undefined;
  const layers = runtime === "docker" ? await layersOf(found, shell.env) : undefined;
  const folders = { ...(await repositoryFacts(found, shell)), layers };
  return {
    engine: answering,
    instance: { name: found.instance, runtime, state, redis, record, bodies, parts, ...folders },
  };
}

async function repositoryFacts(
  parts: InstanceParts,
  shell: Shell,
): Promise<Pick<InstanceFacts, "exchange" | "lacking" | "store" | "pruning" | "gone">> {
  const workspace = workspaceOf(parts);
  if (workspace === "") return { exchange: undefined };
  try {
    const [{ HostRepository }, { pruningRemotes }, { goneResults }] = await Promise.all([
      import("../../../lib/git/repository/host-repository.ts"),
      import("../../../lib/git/repository/pruning-remotes.ts"),
      import("../../../lib/git/repository/gone-results.ts"),
    ]);
    const repository = await HostRepository.open(workspace, {
      ...gitOf(shell),
      mayBeEmpty: true,
    });
    const pruning = await pruningRemotes(repository.place, parts.instance, shell.env);
    const gone = await goneResults(repository.place, parts.instance, shell.env);
    const exchange = repository.exchange(parts.instance);
    const lacking = await repository
      .head()
      .then((head) => exchange.lacking(head))
      .catch(() => undefined);
    const [holdings, store] = [await exchange.holdings(), await exchange.shown()];
    return { exchange: holdings, lacking, store, pruning, gone };
  } catch {
    return { exchange: undefined };
  }
}

/** Undefined where the repository does not say it. */
async function notedLog(parts: InstanceParts, { env }: Shell): Promise<NotedLog | undefined> {
  const workspace = workspaceOf(parts);
  if (workspace === "") return undefined;
  try {
    const [{ HostRepository }, { KeptId }] = await Promise.all([
      import("../../../lib/git/repository/host-repository.ts"),
      import("../../../lib/git/repository/kept-id.ts"),
    ]);
    const { place } = await HostRepository.open(workspace, { env, mayBeEmpty: true });
    return await new KeptId(place, parts.instance, env).log();
  } catch {
    return undefined;
  }
}

async function layersOf({ volumes }: InstanceParts, env: Shell["env"]): Promise<LayerFacts> {
  const layers = volumes.filter(({ labels }) => labels.component === "layer");
  if (layers.length === 0) return { count: 0, bytes: 0 };
  try {
    const { dockerSurvey } = await import("../../../lib/runtime/docker/survey.ts");
    const sizes = await (await dockerSurvey(env, limitMs)).volumeSizes();
    const each = layers.map(({ name }) => sizes.get(name) ?? Number.NaN);
    const bytes = each.reduce((sum, size) => sum + size, 0);
    return { count: layers.length, bytes: Number.isNaN(bytes) ? undefined : bytes };
  } catch (error) {
    if (error instanceof SettError) return { count: layers.length, bytes: undefined };
    throw error;
  }
}

async function ownInstance(
  instances: readonly InstanceParts[],
  shell: Shell,
  name: string | undefined,
  isAllSeen: boolean,
): Promise<InstanceParts | undefined> {
  const known = {
    instances: async () => [...instances],
    parts: async (instance: InstanceParts["instance"]) =>
      instances.find((parts) => parts.instance === instance) ?? {
        instance,
        containers: [],
        networks: [],
        volumes: [],
      },
  };
  try {
    return await findInstance(known, shell, name, hasAnything, { takesMoved: true });
  } catch (error) {
    const isExpected = error instanceof SettError && error.code === "instance-not-found";
    // Nothing is known of instances while neither Engine nor cluster answers.
    if (isExpected && (name === undefined || !isAllSeen)) return undefined;
    throw error;
  }
}

async function readPart(
  part: ContainerPart,
  runtime: RuntimeName,
  env: Shell["env"],
): Promise<PartFacts> {
  if (runtime !== "docker") return { part, survey: undefined, image: undefined };
  const [{ dockerSurvey }, { dockerRuntime }] = await Promise.all([
    import("../../../lib/runtime/docker/survey.ts"),
    import("../../../lib/runtime/docker/runtime.ts"),
  ]);
  const [{ container }, { engine }] = await Promise.all([
    dockerSurvey(env, limitMs),
    dockerRuntime({ env, limitMs }),
  ]);
  try {
    const [survey, image] = await Promise.all([
      container(part.id),
      engine.images.find(part.image.id),
    ]);
    return { part, survey, image };
  } catch (error) {
    // An Engine may be stuck with one container, and answer about all others.
    if (error instanceof SettError)
      return { part, survey: undefined, image: undefined, unanswered: silent(error) };
    throw error;
  }
}

/** Undefined for an instance that is down. */
async function redisOfInstance(
  parts: InstanceParts,
  runtime: RuntimeName,
  env: Shell["env"],
): Promise<RedisFacts | undefined> {
  if (parts.containers.length === 0) return undefined;
  const container = parts.containers.find(({ labels }) => labels.component === "redis");
  try {
    const { ownerUrl, ...urls } = redisUrlsOf(parts);
    const isInside = container !== undefined && runtime === "docker" && isServing(container);
    const elsewhere = elsewhereIn(parts);
    if (elsewhere !== undefined) {
      const there = await readRedis(urls, parts.instance, async () => undefined);
      return { ...there, elsewhere };
    }
    return await readRedis(
      { ...urls, redisUrl: ownerUrl ?? urls.redisUrl },
      parts.instance,
      isInside ? (folder) => diskInside(env, container.id, folder) : diskAt,
    );
  } catch (error) {
    if (error instanceof SettError) return silent(error);
    throw error;
  }
}

/** Undefined where the image has no `df`. */
async function diskInside(
  env: Shell["env"],
  container: string,
  folder: string,
): Promise<Disk | undefined> {
  const { dockerRuntime } = await import("../../../lib/runtime/docker/runtime.ts");
  const runtime = await dockerRuntime({ env, limitMs });
  const result = await runtime.observe
    .exec(container, ["df", "-Pk", folder])
    .catch(() => undefined);
  const [, total, free] = /^\S+ +(\d+) +\d+ +(\d+) +\d+%/m.exec(result?.stdout ?? "") ?? [];
  if (total === undefined || free === undefined) return undefined;
  return { path: folder, freeBytes: Number(free) * 1_024, totalBytes: Number(total) * 1_024 };
}
