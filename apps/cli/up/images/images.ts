// Prepares the images of an instance: uses existing ones, and builds or pulls the others, all at
// the same time.

import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { AgentName, InstanceName } from "../../../../lib/model/ids.ts";
import { idLabel, instanceLabel } from "../../../../lib/runtime/labels.ts";
import { agentImageTag, carrierImage } from "../../../../lib/runtime/names.ts";
import type { EngineRuntime, ImageInfo } from "../../../../lib/runtime/port.ts";
import { formatAge } from "../../../../lib/words/age.ts";
import { imageOf } from "../../services/service.ts";
import { services } from "../../services/services.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Place, recipeOf } from "./agent-recipe.ts";
import { inputsLabel, timesLabel } from "./inputs-label.ts";
import { findOrchestrator } from "./orchestrator-image.ts";
import type { Remembering } from "./own-images.ts";

export type Image = { tag: string } & ImageInfo;

/** `redis`, `gateway` and `api` are undefined where no service runs in them. */
export type Images = {
  redis: Image | undefined;
  orchestrator: Image;
  gateway: Image | undefined;
  api: Image | undefined;
  cub: Image;
  agents: Map<AgentName, Image>;
  /** The images of services beside agents, by their names in sett.yml. */
  beside: Map<string, Image>;
};

type Input = Place & {
  runtime: EngineRuntime;
  instance: InstanceName;
  version: string;
  config: SettConfig;
  /** Builds unchanged images, too. */
  isRebuild: boolean;
  progress: Progress;
  signal: AbortSignal;
  /** The id of the instance, which its images bear. */
  id: string;
  /** Receives the names of the images that were built, also when others fail. */
  built: string[];
  remember: Remembering;
};

/** Images that are built from Sett's sources. Other images may be named `sett/…`, too. */
const settsOwn = /^sett\/(?:orchestrator|gateway|api|cub|agent-base|redis)(?:[:@]|$)/;

/** Throws `image-not-found` and `build-failed`. */
export async function prepareImages(input: Input): Promise<Images> {
  const { config, version } = input;
  const failed = new AbortController();
  const signal = AbortSignal.any([input.signal, failed.signal]);
  const within = { ...input, signal };
  const found = new Map<string, Promise<Image>>();
  const find = (tag: string) => {
    // Two services may have the same image, which is pulled only once.
    const image = found.get(tag) ?? findOrPull(within, tag);
    found.set(tag, image);
    return image;
  };
  const orchestrator = findOrchestrator(config.services.orchestrator.image, version, find);
  const cub = find(`${carrierImage}:${version}`);
  const needed = services
    .filter(({ isNeeded }) => isNeeded(config))
    .map((service) => imageOf(service, config));
  const ifNeeded = async (name: "redis" | "gateway" | "api", tag = `sett/${name}:${version}`) =>
    needed.includes(name) ? await find(tag) : undefined;
  const redis = ifNeeded("redis", config.services.redis.image).catch((error: unknown) => {
    throw config.services.redis.image === undefined ? error : withDefaultHint(error);
  });
  const gateway = ifNeeded("gateway");
  const api = ifNeeded("api");
  // What several agents are built from is built once, under the name of the first.
  const built = new Map<string, Promise<Image>>();
  const imageFor = (agent: AgentConfig) => {
    const { source } = agent;
    if (source.kind === "image") return find(source.image);
    const key = JSON.stringify(source);
    const image = built.get(key) ?? buildImage(within, { name: agent.name, source });
    built.set(key, image);
    return image;
  };
  const agents = config.agents.map(
    async (agent): Promise<[AgentName, Image]> => [agent.name, await imageFor(agent)],
  );
  const beside = config.agents.flatMap(({ services: own }) =>
    own.map(async ({ image }): Promise<[string, Image]> => [image, await find(image)]),
  );
  const jobs = [redis, orchestrator, gateway, api, cub, ...agents, ...beside];
  // The first failure stops the others, so that a person does not wait for a long build in vain.
  for (const job of jobs) job.catch(() => failed.abort());
  const results = await Promise.allSettled(jobs);
  const failures = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  const isConsequence = (error: unknown) =>
    error instanceof SettError && error.code === "interrupted";
  if (failures.length > 0) throw failures.find((error) => !isConsequence(error)) ?? failures[0];
  return {
    redis: await redis,
    orchestrator: await orchestrator,
    gateway: await gateway,
    api: await api,
    cub: await cub,
    agents: new Map(await Promise.all(agents)),
    beside: new Map(await Promise.all(beside)),
  };
}

/** Many files name a Redis image only because an example did. */
function withDefaultHint(error: unknown): unknown {
  if (!(error instanceof SettError) || error.code !== "image-not-found") return error;
  const hint = `${error.hint} Or remove \`services.redis.image\` from sett.yml, and sett uses its own Redis.`;
  return new SettError("image-not-found", error.message, { hint, cause: error });
}

/**
 * The image with the cub. It comes first, because the lock of the instance needs it. Throws
 * `image-not-found`.
 */
export async function prepareCarrier(input: Search): Promise<Image> {
  return await findOrPull(input, `${carrierImage}:${input.version}`);
}

/** The image of the orchestrator alone. `configured`: as sett.yml names it. Throws as above. */
export async function prepareOrchestrator(
  input: Search,
  configured: string | undefined,
): Promise<Image> {
  return await findOrchestrator(configured, input.version, (tag) => findOrPull(input, tag));
}

type Built = Pick<AgentConfig, "name"> & {
  source: Exclude<AgentConfig["source"], { kind: "image" }>;
};

async function buildImage(input: Input, { name, source }: Built): Promise<Image> {
  const { runtime, instance, isRebuild, progress, signal } = input;
  const tag = agentImageTag(instance, name);
  const { inputs, build } = await recipeOf({ name, source }, tag, input);
  const found = await runtime.engine.images.find(tag);
  const isSame = async ({ labels }: ImageInfo) =>
    inputs !== undefined &&
    ((inputs.byTimes !== undefined && labels[timesLabel] === inputs.byTimes) ||
      labels[inputsLabel] === (await inputs.byContent()));
  if (!isRebuild && found !== undefined && (await isSame(found))) return { tag, ...found };
  const step = progress.begin(name, "building its image");
  const startedAt = Date.now();
  const labels = {
    [instanceLabel]: instance,
    [idLabel]: input.id,
    ...(inputs !== undefined && { [inputsLabel]: await inputs.byContent() }),
    ...(inputs?.byTimes !== undefined && { [timesLabel]: inputs.byTimes }),
  };
  const onProgress = (line: string) =>
    step.update(line, { isMilestone: /^(?:Step |#\d+ \[(?!internal))/.test(line) });
  await input.remember.begin(tag);
  const image = await build(labels, { onProgress, signal });
  input.built.push(tag);
  await input.remember.end(tag, image.id);
  step.done(`image built in ${formatAge(Math.max(1_000, Date.now() - startedAt))}`);
  return { tag, ...image };
}

type Search = Pick<Input, "runtime" | "version" | "progress" | "signal">;

async function findOrPull(
  { runtime, version, progress, signal }: Search,
  tag: string,
): Promise<Image> {
  const found = await runtime.engine.images.find(tag);
  if (found !== undefined) return { tag, ...found };
  if (tag.startsWith("sha256:"))
    throw new SettError(
      "image-not-found",
      `The image ${tag} of sett.lock is not on this machine.`,
      {
        hint: "No registry has it: make it here, then write down what it is now with `sett add IMAGE`.",
      },
    );
  const step = progress.begin(tag, "pulling");
  try {
    const image = await runtime.engine.images.pull(tag, {
      onProgress: (line) => step.update(line),
      signal,
    });
    step.done("pulled");
    return { tag, ...image };
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "image-not-found" || !settsOwn.test(tag))
      throw error;
    throw new SettError(
      "image-not-found",
      `The image ${tag} is not on this machine, and no registry has it.`,
      {
        hint: `A released sett brings the images of its own version, ${version}. For a sett that was built from sources, run \`npx just build\` there.`,
        cause: error,
      },
    );
  }
}
