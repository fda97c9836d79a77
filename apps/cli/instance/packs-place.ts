// The place where commands of this machine reach the service of packs of an instance.
import { apiOf } from "../../../lib/client/remote/instance.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { packsPort, packsTokenVariable } from "../services/packs.ts";
import type { Shell } from "../terminal/shell.ts";
import { isServing } from "./place.ts";
import { runtimeOf } from "./runtimes.ts";

/** It does not come back by itself. */
const goneStates: ReadonlySet<string> = new Set(["created", "exited"]);

type Surroundings = Pick<Shell, "cwd" | "env" | "interrupted" | "messages">;

/**
 * The options of git for the person's repository. An instance that SETT_API names gets commits by
 * its API. The service is looked for when it is needed,
 * because its port changes whenever it starts again.
 */
export function gitOf(shell: Surroundings) {
  return {
    env: shell.env,
    bring: async (from: HostRepository, commit: CommitHash) => {
      const api = apiOf(shell.env);
      if (api === undefined) return;
      const { bringCommit } = await import("../../../lib/client/remote/bring-commit.ts");
      await bringCommit(api, from, commit);
    },
    packsOf: async (instance: InstanceName) => {
      const { observe } = await runtimeOf(shell, instance);
      const { containers } = await observe.parts(instance);
      const part = containers.find(({ labels }) => labels.component === "packs");
      const published = part?.ports.find(({ port }) => port === packsPort);
      if (part === undefined || goneStates.has(part.state.state)) return undefined;
      if (!isServing(part) || published === undefined) return "starting" as const;
      const url = `http://127.0.0.1:${published.hostPort}`;
      return { url, token: part.env[packsTokenVariable] };
    },
  };
}
