// Secrets of a cluster that sett.yml names must be there, with their keys, before anything is made.
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { ClusterSecret } from "../../model/config-secrets.ts";
import { SettError } from "../../model/errors.ts";
import type { KubeClient } from "./client.ts";

const Secrets = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string() }),
        data: z.record(z.string(), z.string()).nullish(),
      }),
    )
    .nullish(),
});

/** `bytes`: how many a value may have. Throws `config-invalid`, without a part of a value. */
export async function requireSecrets(
  client: KubeClient,
  { namespace, bytes }: { namespace: string; bytes: { min: number; max: number } },
  wanted: readonly ClusterSecret[],
): Promise<void> {
  if (wanted.length === 0) return;
  const valueAt = await valuesIn(client, namespace);
  for (const secret of wanted) {
    const { length } = valueAt(secret);
    if (length >= bytes.min && length <= bytes.max) continue;
    const { name, key } = secret;
    throw new SettError(
      "config-invalid",
      `The key ${key} of the Secret ${name} of the namespace ${namespace} has a value of ${length} bytes.`,
      { hint: `A secret of an agent has from ${bytes.min} to ${bytes.max}.` },
    );
  }
}

/** Throws `config-invalid`. */
export async function readSecret(
  client: KubeClient,
  namespace: string,
  secret: ClusterSecret,
): Promise<Buffer> {
  return (await valuesIn(client, namespace))(secret);
}

/** A person who lists Secrets may not get one by its name. */
async function valuesIn(
  client: KubeClient,
  namespace: string,
): Promise<(secret: ClusterSecret) => Buffer> {
  const { items } = Secrets.parse(await client.list("Secret", namespace));
  const keysOf = new Map(items?.map(({ metadata, data }) => [metadata.name, data ?? {}]));
  return ({ name, key }) => {
    const keys = keysOf.get(name);
    if (keys !== undefined && Object.hasOwn(keys, key))
      return Buffer.from(keys[key] ?? "", "base64");
    const problem =
      keys === undefined
        ? `There is no Secret ${name} in the namespace ${namespace}, which sett.yml names in \`secrets\`.`
        : `The Secret ${name} of the namespace ${namespace} has no key ${key}.`;
    const make = `kubectl create secret generic ${name} --namespace ${namespace} --from-file ${key}=FILE`;
    throw new SettError("config-invalid", problem, {
      hint:
        keys === undefined
          ? `Make it, and the namespace where there is none yet: ${make}`
          : `It has ${known(Object.keys(keys))}.`,
    });
  };
}

function known(keys: readonly string[]): string {
  return keys.length === 0 ? "none" : keys.toSorted().join(", ");
}
