// The service of forges: the API's program in another mode. It alone has the tokens.
import { readdir, readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { connectService } from "../../../lib/blackboard/redis/connect.ts";
import { readReport } from "../../../lib/client/facts/report.ts";
import { forgeKinds } from "../../../lib/forge/kinds.ts";
import type { Forge } from "../../../lib/forge/port.ts";
import { addressOf, restForge } from "../../../lib/forge/rest-forge.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { beginService } from "../../../lib/service/program.ts";
import { serve } from "../../../lib/service/serve.ts";
import { createServiceApp } from "../../../lib/service/service-app.ts";
import { readHookSecret } from "../hook-secrets.ts";
import { reachablePacks } from "../reachable-packs.ts";
import type { Settings } from "../settings.ts";
import { ForgeLoop, type ForgeParts } from "./forge-loop.ts";
import { IssueLoop } from "./issue-loop.ts";
import type { PullAgent } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Files of tokens have this before the names of forges; the others are secrets of agents. */
const ofForge = "forge.";

/** The value is that of `nice`: who watches yields to those who work. */
const niceness = 10;

export async function runForge(
  settings: Settings,
  environment: Environment,
  onLost: (error: unknown) => void,
): Promise<void> {
  setPriority(niceness);
  const { instance } = settings;
  const { log, signal, hasStarted } = beginService("forge", instance);
  await using board = await connectService(settings, {
    onLost,
    onUnreadable: (what) => log.warn("Skipped what cannot be read", { what }),
  });
  const parts = await partsOf(settings, environment, { board, log });
  const health = createServiceApp({
    service: "forge",
    health: () => {
      const problem = board.contactProblem();
      return problem === undefined ? { ok: true } : { ok: false, reason: problem };
    },
    metrics: new Registry(),
    state: () => ({}),
  });
  const address = { port: settings.healthPort, hostname: settings.healthHost };
  const server = serve(address, health.fetch);
  log.info("Forge service started", { health_port: server.port });
  hasStarted();
  await Promise.all([new ForgeLoop(parts).run(signal), new IssueLoop(parts).run(signal)]);
  await server.stop();
  log.info("Forge service stopped", { signal: signal.reason });
}

async function partsOf(
  settings: Settings,
  environment: Environment,
  { board, log }: Pick<ForgeParts, "board" | "log">,
): Promise<ForgeParts> {
  const { instance, resultsFolder, hookSecretsFolder: folder, forges } = settings;
  const { keptSecretsFolder: kept } = settings;
  if (forges === undefined || folder === undefined)
    throw new SettError("usage", "The settings name no forges.");
  const packs = await reachablePacks(settings, log);
  const repository = await openFor({ ...settings, packs }, environment);
  const results =
    resultsFolder === undefined ? undefined : await repository.openResults(instance, resultsFolder);
  const opened = new Map<string, { token: string; forge: Forge }>();
  return {
    ...{ board, log, agents: forges.agents, now: () => Date.now() },
    async reader() {
      await repository.update();
      const recorded = await board.listCommits();
      if (results !== undefined) return await results.take(recorded);
      await repository.fetchCommits(instance, recorded);
      return repository;
    },
    report: async ({ goal_id }) =>
      await readReport(board, goal_id, { state: undefined, suggest: (text) => `sett ${text}` }),
    secrets: async () => {
      const all = await Promise.all([folder, ...(kept === undefined ? [] : [kept])].map(readAll));
      return new Map(all.flatMap((values) => [...values]));
    },
    async forgeOf({ forge: name }: PullAgent) {
      const file = forges.forges[name];
      const token = (await readHookSecret(folder, `${ofForge}${name}`))?.trim();
      if (file === undefined || token === undefined) return undefined;
      const url = `${addressOf(file)}/${file.repository}.git`;
      const user = forgeKinds[file.kind].gitUser;
      const known = opened.get(name);
      // `sett up` may have brought another token.
      const forge =
        known?.token === token
          ? known.forge
          : restForge({ file, token, fetch, now: () => Date.now() });
      opened.set(name, { token, forge });
      return { forge, pushAt: { url, user, token, fetch } };
    },
  };
}

async function openFor(
  { repositoryFolder, copyFolder, packs }: Settings,
  env: Environment,
): Promise<HostRepository> {
  const packsOf = async () => packs;
  if (repositoryFolder !== undefined)
    return await HostRepository.open(repositoryFolder, {
      ...{ env, mayBeEmpty: true, mayFetch: false, packsOf },
    });
  if (copyFolder === undefined || packs === undefined)
    throw new SettError("usage", "The settings name no repository.");
  return await HostRepository.openCopy(copyFolder, packs, env);
}

/** The values that must not leave, by name: the tokens are among them. */
async function readAll(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith("."));
  const values = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return new Map(names.map((name, at) => [name, values[at] ?? Buffer.of()]));
}
