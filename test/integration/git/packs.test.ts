// Store and exchange by the service of packs, held to the suite of their port.
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { hostEnv, instance, sampleRepository } from "../../support/git/sample-repository.ts";
import { type ServedPacks, servePacks } from "../../support/git/served-packs.ts";
import { exchangeSuite } from "./suite.ts";

const [one, other] = [AgentName.parse("one"), AgentName.parse("other")];

/** Whether a command of the agent gets what it wants at its agent's socket. */
async function mayCall(packs: ServedPacks, method: string, path: string, body?: string) {
  const unix = packs.socketOf(one).url.slice("unix:".length);
  const answer = await fetch(`http://localhost/${path}`, { method, unix, ...(body && { body }) });
  return answer.ok;
}

exchangeSuite("a service of packs", async () => {
  const sample = sampleRepository();
  const packs = await servePacks(sample.root, [one, other]);
  const repository = await HostRepository.open(sample.path, {
    env: hostEnv,
    packsOf: async () => packs.host,
  });
  const host = repository.exchange(instance);
  return {
    ...{ root: sample.root, path: sample.path, base: sample.base },
    host,
    async make(wanted) {
      await host.make({ ...wanted, isServed: true });
      await host.serve();
    },
    agent: (agentName) => packs.agent(agentName),
    command: {
      leave: async (_, name) => await mayCall(packs, "PUT", `shelves/${name}`, "#!/bin/sh\n"),
      removeAll: async (agent) => {
        const all = (await host.holdings()).find((each) => each.agent === agent);
        if (all === undefined) throw new Error("It has published nothing.");
        const commits = await (await fetch(`${packs.host.url}/shelves`)).json();
        const gone = await Promise.all(
          commits.map(({ commit }: { commit: string }) =>
            mayCall(packs, "DELETE", `shelves/${commit}/${agent}`),
          ),
        );
        return gone.includes(true);
      },
      damage: async (_, commit) => await mayCall(packs, "PUT", `shelves/${commit}`, "nothing"),
    },
    async [Symbol.asyncDispose]() {
      await packs[Symbol.asyncDispose]();
      sample[Symbol.dispose]();
    },
  };
});
