// Prints or writes what `sett up` would make in a cluster. Images are built and pushed; all else
// stays as it is.
import { resolve } from "node:path";
import { readConfig } from "../../../lib/config/read-config.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { namespaceOf as namespaceNamed } from "../../../lib/runtime/kubernetes/namespace.ts";
import { manifestText, renderInstance } from "../../../lib/runtime/kubernetes/render.ts";
import {
  accountRights,
  lookRights,
  rights,
  roleOf,
  workersRights,
} from "../../../lib/runtime/kubernetes/rights.ts";
import { readThere } from "../../../lib/runtime/kubernetes/there.ts";
import { workersNamespace } from "../../../lib/runtime/kubernetes/workers-namespace.ts";
import { knownClusters } from "../instance/clusters.ts";
import { findConfig, lacksConfig } from "../program/config-path.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { showsLogs } from "../services/log-reader.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { textsFor } from "./apply/start-service.ts";
import { UndoSteps } from "./apply/undo.ts";
import { lookAtInstance } from "./bring-about.ts";
import { nameOfFolder } from "./checks/checks.ts";
import { keepId } from "./checks/keep-id.ts";
import { hostOf } from "./hosts/host-of.ts";
import { readOrder } from "./order.ts";
import { makePlan } from "./plan/make-plan.ts";
import { readValues } from "./secrets/read-values.ts";
import { writeManifests } from "./write-manifests.ts";

type Arguments = {
  name: string | undefined;
  file: string | undefined;
  context: string | undefined;
  namespace: string | undefined;
};

/** Throws `usage`, `not-ready`, and what `sett up` throws before it makes anything. */
export async function renderManifests(
  args: Arguments & { to: string | undefined; secrets: boolean },
  shell: Shell,
): Promise<void> {
  const { instance, rendered } = await renderAll(args, shell);
  if (args.secrets) return await shell.out.write(manifestText(rendered.first));
  const { withoutSecret, withoutAddress } = rendered;
  if (withoutAddress.length > 0)
    throw new SettError(
      "not-ready",
      `The cluster has no address yet for ${withoutAddress.join(", ")}, which pods of ${instance} must know.`,
      { hint: applyFirst },
    );
  if (withoutSecret.length > 0)
    shell.messages.warn(
      `The cluster does not have the Secrets that these manifests name for ${withoutSecret.join(", ")}: their pods would wait. ${applyFirst}`,
    );
  if (args.to === undefined)
    await shell.out.write(manifestText(rendered.files.flatMap(({ objects }) => objects)));
  else {
    const folder = resolve(shell.cwd, args.to);
    const count = await writeManifests(folder, rendered.files);
    shell.messages.note(`${count} files are in ${folder}: kubectl apply -k ${folder}`);
  }
  shell.messages.note(
    "Once they are applied, `sett up` keeps these parts, and gives them what no manifest has: users of Redis, commits, keys of models.",
  );
}

const applyFirst =
  "`sett render --kubernetes --secrets | kubectl apply --server-side -f -` makes them; its output has passwords.";

async function renderAll(args: Arguments, shell: Shell) {
  if (await lacksConfig(shell.cwd, args.file))
    throw new SettError("usage", "There is no sett.yml, which says what parts there are.");
  const ordered = { ...args, runtime: "kubernetes", yes: false, unattended: false };
  const order = await readOrder(ordered, shell);
  if (order.kind !== "kubernetes") throw new Error("It was asked for a cluster.");
  const { instance, place } = order;
  using progress = new Progress(shell.err);
  const host = await hostOf(order, { ...order, progress, isRebuild: false, shell });
  const read = await readValues(host.config, { ...order, secretIn: host.secretIn }, shell);
  await host.prepare();
  const input = { ...order, host, read, progress, shell };
  const { keptId, ...known } = await lookAtInstance(input, new UndoSteps(), order.problemAt);
  // Images bear it, and so do the manifests: the next ones are of the same instance.
  if (known.id !== keptId) await keepId(known.kept, { instance, id: known.id }, shell);
  const { password, ...there } = await readThere({ ...place, env: shell.env }, instance);
  const images = await host.images(known, []);
  const made = { host, known, images, ...read, ...withoutUndefined({ password }) };
  const { plan, password: used } = await makePlan(order, made, shell);
  const { networks, services, agents } = plan;
  const giving = { values: read.values, plan };
  const withGifts = await Promise.all(
    services.map(async (each) => ({ ...each, texts: await textsFor(each, giving) })),
  );
  const parts = [...withGifts, ...agents];
  const { namespace } = place;
  const rendering = { instance, namespace, networks, parts, password: used, there };
  return { instance, rendered: renderInstance(rendering) };
}

/** Neither a cluster nor an Engine is asked. */
export async function printRole({ namespace, name, file }: Arguments, shell: Shell): Promise<void> {
  const config = await configIn(shell, file);
  const found = namespace ?? (await namespaceOf({ name }, config, shell));
  const withWorkers = config?.agents.some(needsWorkers) === true;
  const withAccounts = withWorkers || (config !== undefined && showsLogs(config));
  const workers = workersNamespace(found);
  const ofWorkers = [namespaceNamed(workers), roleOf(workers, workersRights)];
  await shell.out.write(
    manifestText([
      roleOf(found, [...rights, ...lookRights, ...(withAccounts ? accountRights : [])]),
      ...(withWorkers ? ofWorkers : []),
    ]),
  );
  for (const each of withWorkers ? [found, workers] : [found])
    shell.messages.note(
      `Who may give it gives it so: kubectl create rolebinding sett --namespace ${each} --role sett --user NAME`,
    );
}

async function configIn(shell: Shell, file: string | undefined): Promise<SettConfig | undefined> {
  if (await lacksConfig(shell.cwd, file)) return undefined;
  const { file: path, name } = await findConfig(shell, file);
  return (await readConfig(path, shell.env, { withoutKeys: true, name })).config;
}

async function namespaceOf(
  { name }: Pick<Arguments, "name">,
  config: SettConfig | undefined,
  shell: Shell,
): Promise<string> {
  if (config?.kubernetes.namespace !== undefined) return config.kubernetes.namespace;
  const known = await knownClusters(shell);
  const before = known.find(({ instance }) => name === undefined || instance === name);
  const root = (await workspaceRoot(shell.cwd)) ?? shell.cwd;
  const instance = name ?? nameOfFolder(root);
  if (before === undefined && instance === undefined)
    throw new SettError("usage", "The namespace is not known.", { hint: "--namespace NAMESPACE" });
  return before?.namespace ?? `sett-${instance}`;
}
