// Store and exchange as folders of the repository, held to the suite of their port.
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentFolders } from "../../../lib/git/publish/agent-folders.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { foldersOf } from "../../support/git/folders.ts";
import { hostEnv, instance, sampleRepository } from "../../support/git/sample-repository.ts";
import { exchangeSuite } from "./suite.ts";

exchangeSuite("folders of the repository", async () => {
  const sample = sampleRepository();
  const repository = await HostRepository.open(sample.path, { env: hostEnv });
  const { objectsDir, exchangeDir } = foldersOf(repository, instance);
  const host = repository.exchange(instance);
  const folder = (agent: string) => join(exchangeDir, agent);
  return {
    ...{ root: sample.root, path: sample.path, base: sample.base },
    host,
    make: async (wanted) => void (await host.make(wanted)),
    agent: (agentName) => new AgentFolders({ agentName, objectsDir, exchangeDir, isGuarded: true }),
    command: {
      async leave(agent, name) {
        writeFileSync(join(folder(agent), name), "#!/bin/sh\n");
        return true;
      },
      async removeAll(agent) {
        for (const name of readdirSync(folder(agent))) rmSync(join(folder(agent), name));
        chmodSync(folder(agent), 0o500);
        return true;
      },
      async damage(agent, commit) {
        writeFileSync(join(folder(agent), `${commit}.pack`), "nothing");
        return true;
      },
    },
    [Symbol.asyncDispose]: async () => sample[Symbol.dispose](),
  };
});
