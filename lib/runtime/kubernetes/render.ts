// Writes what `sett up` would make in a cluster, as manifests. No manifest has a variable of a
// part: those are in Secrets, which the manifests name. Pure.
import { createHash, createHmac } from "node:crypto";
import { stringify } from "yaml";
import type { InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec } from "../container-spec.ts";
import type { PartLabels } from "../labels.ts";
import { keptVolumeNames } from "../names.ts";
import type { PlannedNetwork, PlannedVolume } from "../part-plan.ts";
import type { KubeObject } from "./client.ts";
import {
  claimOf,
  giftsObject,
  markerOf,
  type NamedAddress,
  newMade,
  objectsOf,
} from "./manifests.ts";
import { namespaceOf } from "./namespace.ts";

/** A cluster has this of an instance. `secret`: the Secret that a part's pods have. */
export type There = {
  hosts: readonly NamedAddress[];
  parts: ReadonlyMap<string, { made: string; secret: string | undefined }>;
  /** The variables in each Secret, by its name. */
  secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
};

export type Rendering = {
  instance: InstanceName;
  namespace: string;
  networks: readonly PlannedNetwork[];
  parts: readonly {
    spec: ContainerSpec;
    volumes: readonly PlannedVolume[];
    /** All that `sett up` gives it. */
    texts?: Readonly<Record<string, string>>;
  }[];
  /** The password of the instance: with it no one guesses a value by the name of its Secret. */
  password: string;
  there: There;
};

/** `files`: by name. `first`: what must be there before, values among it. */
export type Rendered = {
  files: { name: string; objects: KubeObject[] }[];
  first: KubeObject[];
  /** Parts whose Secret is not in the cluster, or has other variables. */
  withoutSecret: string[];
  /** Services that have no address yet, of which the pods of others must know it. */
  withoutAddress: string[];
};

/** Throws `config-invalid` for a name that is too long. */
export function renderInstance(rendering: Rendering): Rendered {
  const { instance, namespace, networks, parts, there } = rendering;
  const workers = parts.flatMap(({ spec }) => spec.placement?.workers?.namespace ?? []);
  const own =
    namespace === `sett-${instance}`
      ? [namespace, ...workers].map((name) => namespaceOf(name))
      : [];
  const within = (object: KubeObject): KubeObject => {
    const { apiVersion, kind, metadata, ...content } = object;
    const { name, ...more } = metadata;
    return { apiVersion, kind, metadata: { name, namespace, ...more }, ...content };
  };
  const rendered = parts.map((part) => renderPart(part.spec, rendering));
  const claims = parts
    .flatMap(({ volumes }) => volumes)
    .filter(({ name }) => keptVolumeNames(instance).includes(name))
    .map(({ name, labels }) => claimOf(name, labels));
  const services = rendered.flatMap(({ others }) => others.filter(isService));
  return {
    files: [
      ...(own.length > 0 ? [{ name: "namespace", objects: own }] : []),
      {
        name: "instance",
        objects: [
          ...networks.map(({ name, labels }) => within(markerOf(name, labels))),
          ...claims.map(within),
        ],
      },
      ...rendered.map(({ spec, others, workload }) => ({
        name: fileOf(spec.labels),
        objects: [...others, workload].map(within),
      })),
    ],
    first: [
      ...own,
      ...services.map(within),
      ...rendered.map(({ secret }) => within(secret)),
      ...parts.flatMap(({ spec, texts }) =>
        texts === undefined || Object.keys(texts).length === 0
          ? []
          : [within(giftsObject(spec, texts))],
      ),
    ],
    withoutSecret: rendered.flatMap(({ secret, spec }) =>
      isSame(there.secrets.get(secret.metadata.name), spec.env) ? [] : [fileOf(spec.labels)],
    ),
    withoutAddress: services
      .map(({ metadata }) => metadata.name)
      .filter((name) => !there.hosts.some((host) => host.name === name)),
  };
}

function renderPart(spec: ContainerSpec, { there, password }: Rendering) {
  const { name, labels, env } = spec;
  const found = there.parts.get(name);
  // A selector cannot be changed, and one that is made anew at another time is the same.
  const made = found?.made ?? newMade(JSON.stringify([labels.id, name]));
  const isKept = isSame(there.secrets.get(found?.secret ?? ""), env);
  const secret = isKept ? found?.secret : `${name}.${digestOf(env, password)}`;
  return {
    spec,
    ...objectsOf(spec, { made, hosts: there.hosts, ...withoutUndefined({ secret }) }),
  };
}

/** Another content has another name, so that what has changed is begun anew. */
function digestOf(env: Readonly<Record<string, string>>, password: string): string {
  const sorted = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const key = createHash("sha256").update(`names of Secrets ${password}`).digest();
  return createHmac("sha256", key).update(JSON.stringify(sorted)).digest("hex").slice(0, 12);
}

function isSame(
  one: Readonly<Record<string, string>> | undefined,
  other: Readonly<Record<string, string>>,
): boolean {
  if (one === undefined || Object.keys(one).length !== Object.keys(other).length) return false;
  return Object.entries(other).every(([name, value]) => one[name] === value);
}

function isService({ kind }: KubeObject): boolean {
  return kind === "Service";
}

function fileOf(labels: PartLabels): string {
  return labels.component === "agent" ? `agent-${labels.agent}` : labels.component;
}

/** The same text for the same objects. `compat`: kubectl reads `yes` and `on` as YAML 1.1 does. */
export function manifestText(objects: readonly object[]): string {
  const options = { lineWidth: 0, compat: "yaml-1.1" } as const;
  return objects.map((object) => stringify(object, options)).join("---\n");
}

export function kustomizationText(names: readonly string[]): string {
  return stringify({
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: names.map((name) => `${name}.yaml`),
  });
}
