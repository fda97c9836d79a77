// Gets every image that an instance needs: what is there is used, the rest is built or pulled, all at the same time.
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import { instanceLabel } from "../../../lib/runtime/labels.ts";
import { agentImageTag, carrierImage } from "../../../lib/runtime/names.ts";
import type { ContainerRuntime, ImageInfo } from "../../../lib/runtime/port.ts";
import type { Progress } from "../terminal/progress.ts";
import { formatAge } from "../text/age.ts";
import { type Place, recipeOf } from "./agent-recipe.ts";
import { inputsLabel } from "./inputs-label.ts";
import { findOrchestrator } from "./orchestrator-image.ts";

export type Image = { tag: string } & ImageInfo;

export type Images = { redis: Image; orchestrator: Image; cub: Image; agents: Map<AgentName, Image> };

type Order = Place & {
  runtime: ContainerRuntime;
  instance: InstanceName;
  version: string;
  config: SettConfig;
  /** Builds what has not changed, too. */
  isRebuild: boolean;
  progress: Progress;
  signal: AbortSignal;
  /** Gets the names of the images that were built, also when others fail. */
  built: string[];
};

/** Those that Sett's sources make. Others may be called `sett/…`, too. */
const settsOwn = /^sett\/(?:orchestrator|cub|agent-base|redis)(?:[:@]|$)/;

/** Throws `image-not-found` and `build-failed`. */
export async function prepareImages(order: Order): Promise<Images> {
  const { config, version } = order;
  const failed = new AbortController();
  const signal = AbortSignal.any([order.signal, failed.signal]);
  const within = { ...order, signal };
  const services = new Map<string, Promise<Image>>();
  const service = (tag: string) => {
    // They may have an image in common, which is then pulled once.
    const image = services.get(tag) ?? findOrPull(within, tag);
    services.set(tag, image);
    return image;
  };
  const redis = service(config.services.redis.image ?? `sett/redis:${version}`).catch((error: unknown) => {
    throw config.services.redis.image === undefined ? error : orOurs(error);
  });
  const orchestrator = findOrchestrator(config.services.orchestrator.image, version, service);
  const cub = service(`${carrierImage}:${version}`);
  const agents = config.agents.map(async (agent): Promise<[AgentName, Image]> => [agent.name, await agentImage(within, agent)]);
  const jobs = [redis, orchestrator, cub, ...agents];
  // One that fails stops the others: nobody waits for a long build only to learn that it was in vain.
  for (const job of jobs) job.catch(() => failed.abort());
  const results = await Promise.allSettled(jobs);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  const isConsequence = (error: unknown) => error instanceof SettError && error.code === "interrupted";
  if (failures.length > 0) throw failures.find((error) => !isConsequence(error)) ?? failures[0];
  return {
    redis: await redis,
    orchestrator: await orchestrator,
    cub: await cub,
    agents: new Map(await Promise.all(agents)),
  };
}

/** A file may name a Redis only because an example did. */
function orOurs(error: unknown): unknown {
  if (!(error instanceof SettError) || error.code !== "image-not-found") return error;
  const hint = `${error.hint} Or leave \`services.redis.image\` out of sett.yml, and Sett's own Redis is used.`;
  return new SettError("image-not-found", error.message, { hint, cause: error });
}

/** The image that every instance needs, and its lock before all else. Throws `image-not-found`. */
export async function prepareCarrier(order: Pick<Order, "runtime" | "version" | "progress" | "signal">): Promise<Image> {
  return await findOrPull(order, `${carrierImage}:${order.version}`);
}

async function agentImage(order: Order, { name, source }: AgentConfig): Promise<Image> {
  if (source.kind === "image") return await findOrPull(order, source.image);
  const { runtime, instance, isRebuild, progress, signal } = order;
  const tag = agentImageTag(instance, name);
  const { inputs, build } = await recipeOf(source, tag, order);
  const found = await runtime.images.find(tag);
  if (!isRebuild && found !== undefined && inputs !== undefined && found.labels[inputsLabel] === inputs) return { tag, ...found };
  const step = progress.begin(name, "building its image");
  const startedAt = Date.now();
  const labels = { [instanceLabel]: instance, ...(inputs !== undefined && { [inputsLabel]: inputs }) };
  const onProgress = (line: string) => step.update(line, { isMilestone: line.startsWith("Step ") });
  const image = await build(labels, { onProgress, signal });
  order.built.push(tag);
  // A base image that had to be pulled is known only now.
  step.done(`image built in ${formatAge(Math.max(1_000, Date.now() - startedAt))}`);
  return { tag, ...image };
}

type Search = Pick<Order, "runtime" | "version" | "progress" | "signal">;

async function findOrPull({ runtime, version, progress, signal }: Search, tag: string): Promise<Image> {
  const found = await runtime.images.find(tag);
  if (found !== undefined) return { tag, ...found };
  const step = progress.begin(tag, "pulling");
  try {
    const image = await runtime.images.pull(tag, { onProgress: (line) => step.update(line), signal });
    step.done("pulled");
    return { tag, ...image };
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "image-not-found" || !settsOwn.test(tag)) throw error;
    throw new SettError("image-not-found", `The image ${tag} is not here, and no registry gives it.`, {
      hint: `A released sett brings those of its own version, ${version}. Built from sources: \`npx just docker-orchestrator docker-cub\` there`,
      cause: error,
    });
  }
}
