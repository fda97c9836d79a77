// Makes the plan of an instance for its runtime, from all that is known of it.
import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import { publicNetworksOf } from "../../instance/machine-networks.ts";
import { hasForges } from "../../services/forge.ts";
import { hasApi } from "../../services/has-api.ts";
import type { PlanInput } from "../../services/input.ts";
import { servesPacks } from "../../services/packs.ts";
import { tlsDoorsOf } from "../../services/reach.ts";
import { ownerPasswordFrom } from "../../services/redis-users.ts";
import type { Shell } from "../../terminal/shell.ts";
import { keptPassword } from "../checks/kept-password.ts";
import { requireStartable } from "../checks/require-startable.ts";
import { type Host, type Images, type Known, usersOf } from "../hosts/host.ts";
import type { Order } from "../order.ts";
import type { ReadValues } from "../secrets/read-values.ts";
import { type InstancePlan, planInstance, planParts } from "./plan.ts";
import { sharesCheckout } from "./shares-checkout.ts";
import { telemetryOf } from "./telemetry-variables.ts";

/** `password`: where it is known already. */
type Made = ReadValues & { host: Host; known: Known; images: Images; password?: string };

/** Throws `config-invalid` for a part that Linux would not start. */
export async function makePlan(
  { instance, repository, cassettes }: Order,
  { host, known, images, values, tokens, redis, password: kept }: Made,
  { version, env }: Shell,
): Promise<{ plan: InstancePlan; registrations: AgentRegistration[]; password: string }> {
  const { config, isInContainer } = host;
  const { place } = repository;
  const git = repository.exchange(instance);
  const registrations = registrationsOf(
    config,
    digestsOf(images.agents),
    digestsOf(images.beside ?? new Map()),
  );
  const telemetry = telemetryOf(env);
  // Parts that keep running know the password of last time.
  const password =
    redis?.usersFrom === undefined
      ? (kept ?? keptPassword(known.before) ?? randomBytes(24).toString("hex"))
      : ownerPasswordFrom(redis.usersFrom, instance);
  const input: PlanInput = {
    instance,
    id: known.id,
    workspace: place.toplevel,
    version,
    config,
    registrations,
    repository: {
      foldersFor: (reader) => git.foldersFor(reader),
      user: usersOf(known.engine, repository).user,
    },
    images,
    password,
    doors: await tlsDoorsOf(config, password, { isApart: host.isApart === true }),
    redisCa: redis?.ca,
    machine: known.engine,
    isLayered:
      isInContainer &&
      known.isNear &&
      (await sharesCheckout(known, { instance, repository, isServed: servesPacks(config) })),
    machineNetworks: publicNetworksOf(networkInterfaces()),
    cassettes,
    api:
      hasApi(config) || hasForges(config)
        ? { tokens, tls: values.tls, repository: place, telemetry }
        : undefined,
  };
  const plan = planInstance(input, await host.translation(planParts(input), known));
  await requireStartable(plan, { config, images, secrets: values.secrets, isInContainer });
  return { plan, registrations, password };
}

type Digests = ReadonlyMap<string, { digest?: string | undefined; id: string }>;

function digestsOf(images: Digests): Map<string, string> {
  return new Map([...images].map(([name, { digest, id }]) => [name, digest ?? id] as const));
}
