// Reads which values of agents' secrets are written by accident: of files and variables. Commands
// are not run, for they may ask a person.
import { dirname, resolve } from "node:path";
import { checkConfig } from "../../../lib/config/read-config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { weaknessOf } from "../facts/weak-value.ts";
import { knownClusters } from "../instance/clusters.ts";
import { configPath } from "../program/config-path.ts";
import { readableValues } from "../program/secret-source.ts";
import type { Shell } from "../terminal/shell.ts";
import type { SecretsFacts } from "./facts.ts";

/** Undefined where there is no sett.yml that can be read, or its agents have no secrets. */
export async function readSecretsFacts({
  cwd,
  env,
  interrupted: signal,
}: Shell): Promise<SecretsFacts | undefined> {
  try {
    const file = await configPath({ cwd, env }, undefined);
    const { config } = await checkConfig(file, env, { withoutKeys: true });
    if (config === undefined) return undefined;
    const { values, unread } = await readableValues(config, {
      folder: dirname(resolve(cwd, file)),
      env,
      signal,
    });
    if (values.size + unread.length === 0) return undefined;
    const weak = [...values].flatMap(([name, value]) => {
      const what = weaknessOf(value);
      return what === undefined ? [] : [{ name, what }];
    });
    const ofCluster = unread.flatMap((name) => {
      const { name: secret, key } = config.secrets[name]?.kubernetes ?? {};
      return secret === undefined || key === undefined ? [] : [{ name, secret, key }];
    });
    const [known] = ofCluster.length === 0 ? [] : await knownClusters({ cwd, env });
    return {
      ...{ read: values.size, weak, ofCluster },
      unread: unread.filter((name) => config.secrets[name]?.kubernetes === undefined),
      namespace: known?.namespace ?? config.kubernetes.namespace,
    };
  } catch (error) {
    // `sett validate` says what is wrong with the file.
    if (error instanceof SettError) return undefined;
    throw error;
  }
}
