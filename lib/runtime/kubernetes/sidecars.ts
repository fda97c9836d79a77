// Services beside a worker: containers of its pod that start before its own, and last as long. Only
// they and it are in the pod's network. Pure.
import { createHash } from "node:crypto";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, SidecarSpec } from "../container-spec.ts";
import { resourcesOf } from "./container-resources.ts";
import type { Pod } from "./pod.ts";

/** A container of a worker's pod is the worker's own, or has such a name. */
const namePrefix = "beside-";
/** A command that hangs is no answer. */
const answerSeconds = 5;

/** The environment of one has a Secret of its own; another content has another name. */
export function secretOf(part: string, { name, env }: SidecarSpec) {
  const digest = createHash("sha256").update(JSON.stringify(env)).digest("hex").slice(0, 12);
  return { name: `${part}.${name}.${digest}`, stringData: env };
}

/** `part`: the name of the agent, which their Secrets begin with. */
export function sidecarContainers({ sidecars = [] }: ContainerSpec, part: string) {
  return sidecars.map((sidecar) => {
    const { name, image, command, user, ready, resources } = sidecar;
    const seconds = Math.ceil(sidecar.readyMs / 1_000);
    return {
      ...{ name: containerOf(name), image, imagePullPolicy: "IfNotPresent" },
      // The containers after it wait for it, and it goes with the last of them.
      restartPolicy: "Always",
      ...withoutUndefined({ args: command }),
      envFrom: [{ secretRef: { name: secretOf(part, sidecar).name } }],
      ...(ready !== undefined && {
        startupProbe: {
          exec: { command: ready },
          ...{ periodSeconds: 1, timeoutSeconds: answerSeconds, failureThreshold: seconds },
          terminationGracePeriodSeconds: 1,
        },
      }),
      // Its last lines say why it has ended.
      terminationMessagePolicy: "FallbackToLogsOnError",
      resources: resourcesOf(resources),
      securityContext: {
        ...(user && { runAsUser: user.uid, runAsGroup: user.gid }),
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      },
    };
  });
}

export function containerOf(service: string): string {
  return `${namePrefix}${service}`;
}

/** Undefined for a container that is no service. */
export function serviceOf(container: string): string | undefined {
  return container.startsWith(namePrefix) ? container.slice(namePrefix.length) : undefined;
}

const shownLines = 3;

/**
 * Names a service for which a pod waits in vain, in a sentence: the cluster starts it again, and
 * that it ended is no less true.
 */
export function neverReady({ spec, status, late }: Pod): string | undefined {
  const [own] = status.containerStatuses ?? [];
  if (own?.state.running !== undefined || own?.state.terminated !== undefined) return undefined;
  for (const { name, state, lastState } of status.initContainerStatuses ?? []) {
    const service = serviceOf(name);
    const end = state.terminated ?? lastState.terminated;
    const limit = limitOf(spec, name);
    if (service !== undefined && name === late)
      return `the service \`${service}\` was not ready within ${limit} s.`;
    if (service === undefined || end === undefined) continue;
    const lines = end.message.split("\n").filter((line) => line.trim() !== "");
    const said =
      lines.length === 0
        ? ""
        : ` It has printed: ${lines.slice(-shownLines).join(" / ").replace(/\.$/, "")}.`;
    const ranSeconds = (Date.parse(end.finishedAt ?? "") - Date.parse(end.startedAt ?? "")) / 1_000;
    return limit !== undefined && ranSeconds >= limit
      ? `the service \`${service}\` was not ready within ${limit} s.${said}`
      : `the service \`${service}\` has ended, with exit code ${end.exitCode}.${said}`;
  }
  return undefined;
}

/** Seconds; undefined where it is ready when it runs. */
function limitOf({ initContainers }: Pod["spec"], container: string): number | undefined {
  return initContainers.find(({ name }) => name === container)?.startupProbe?.failureThreshold;
}

/** The kubelet ends a service that says in time that it is not ready, and shows what it printed. */
const patienceMs = 10_000;

/**
 * Counts how long pods wait for a service, by the clock of this process. A kubelet asks for ever
 * where the program of `ready` is not there, and takes longer where it hangs.
 */
export class ReadyClock {
  readonly #nowMs: () => number;
  /** Name of a pod and of the container for which it waits → since when. */
  readonly #since = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The pod, with what it has waited for too long. */
  look(pod: Pod): Pod {
    const waiting = pod.status.initContainerStatuses?.find(
      ({ name, started, state }) =>
        serviceOf(name) !== undefined && state.running !== undefined && started === false,
    );
    const limit = waiting && limitOf(pod.spec, waiting.name);
    const of = `${pod.metadata.name} `;
    const key = `${of}${waiting?.name}`;
    for (const known of this.#since.keys())
      if (known.startsWith(of) && known !== key) this.#since.delete(known);
    if (waiting === undefined || limit === undefined) return pod;
    const sinceMs = this.#since.get(key) ?? this.#nowMs();
    this.#since.set(key, sinceMs);
    const isLate = this.#nowMs() - sinceMs > limit * 1_000 + patienceMs;
    return isLate ? { ...pod, late: waiting.name } : pod;
  }

  /** These are not there any more. */
  forget(isGone: (pod: string) => boolean): void {
    for (const key of this.#since.keys())
      if (isGone(key.slice(0, key.indexOf(" ")))) this.#since.delete(key);
  }
}
