// Networks: one for each instance, another one for its agents that reach the internet, and one for
// each agent that reaches services by TLS.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { serviceNames } from "../../model/services.ts";
import { identifyPart } from "../identify-part.ts";
import { type PartLabels, writeLabels } from "../labels.ts";
import { notOurs } from "../not-ours.ts";
import type { NetworkKind } from "../part-plan.ts";
import type { Stranger } from "../port.ts";
import { ask, askIfThere, explain, reasonOf, statusOf } from "./errors.ts";
import { afterLostNetwork } from "./lost-answers.ts";

export async function createNetwork(
  docker: Docker,
  name: string,
  labels: PartLabels,
  kind: NetworkKind = "usual",
): Promise<void> {
  try {
    await docker.createNetwork({
      Name: name,
      // The Engine would otherwise make a second network of the same name.
      CheckDuplicate: true,
      Driver: "bridge",
      Labels: writeLabels(labels),
      ...optionsOf[kind],
    });
  } catch (error) {
    if (/address pool/i.test(reasonOf(error))) throw await noAddresses(docker, error);
    if (statusOf(error) === 409) throw notOurs(await networksNamed(docker, name));
    const doing = `create the network ${name}`;
    const made = { why: error, doing, name, labels: writeLabels(labels) };
    throw await afterLostNetwork(docker, made);
  }
}

/**
 * An internal network leads nowhere but to this machine: its bridge would have an address there, at
 * which every port that is open to all can be reached.
 */
const optionsOf: Record<NetworkKind, Pick<Docker.NetworkCreateOptions, "Options" | "Internal">> = {
  usual: {},
  isolating: { Options: { "com.docker.network.bridge.enable_icc": "false" } },
  closed: { Internal: true, Options: { "com.docker.network.bridge.inhibit_ipv4": "true" } },
};

export async function joinNetwork(docker: Docker, name: string, container: string): Promise<void> {
  try {
    await docker.getNetwork(name).connect({ Container: container });
  } catch (error) {
    if (!/already exists in network/i.test(reasonOf(error)))
      throw explain(error, `connect ${container} to the network ${name}`);
  }
}

async function networksNamed(docker: Docker, name: string): Promise<Stranger[]> {
  const networks = await docker.listNetworks({ filters: { name: [name] } }).catch(() => []);
  const found = networks.filter(({ Name }) => Name === name);
  if (found.length < 2) return [{ sort: "network", name }];
  return found.map(({ Id }) => ({ sort: "network", name, id: Id.slice(0, 12) }));
}

/**
 * The Engine has few ranges of addresses, about thirty by default, and gives one to each network.
 */
async function noAddresses(docker: Docker, cause: unknown): Promise<SettError> {
  const networks = await docker.listNetworks().catch(() => []);
  const own = networks.filter(
    ({ Name, Labels }) => identifyPart("network", Name, Labels) !== undefined,
  ).length;
  const message = `Docker has no addresses left for another network: it has ${networks.length}, ${own} of them Sett's.`;
  return new SettError("docker-failed", message, {
    hint: "Remove those that nothing uses: `docker network prune`; `sett list` names the instances, and `sett down` removes the networks of one. More ranges: `default-address-pools` in /etc/docker/daemon.json.",
    cause,
  });
}

/** By its id, or by its name where the id is not known. */
export async function removeNetwork(docker: Docker, name: string, id = name): Promise<void> {
  try {
    await docker.getNetwork(id).remove();
  } catch (error) {
    if (statusOf(error) === 404) return;
    if (!/has active endpoints/i.test(reasonOf(error)))
      throw explain(error, `remove the network ${name}`);
    if (await leaveClosed(docker, name, id)) return await removeNetwork(docker, name, id);
    const users = await usersOf(docker, name, id);
    const isAlone = (await networksNamed(docker, name)).length === 1;
    throw new SettError(
      "docker-failed",
      `The network ${name} is still used by ${users.join(", ") || "something else"}.`,
      {
        hint: `Disconnect it (\`docker network disconnect ${isAlone ? name : id.slice(0, 12)} ${users[0] ?? "CONTAINER"}\`), then run \`sett down\` again.`,
        cause: error,
      },
    );
  }
}

/** Takes the services out of a closed network. Returns false where there are none. */
async function leaveClosed(docker: Docker, name: string, id: string): Promise<boolean> {
  const [, services] = /^(sett-[^.]+)\.closed\./.exec(name) ?? [];
  if (services === undefined) return false;
  const members = (await usersOf(docker, name, id)).filter((user) =>
    serviceNames.some((service) => user === `${services}-${service}`),
  );
  for (const Container of members)
    await ask(`take ${Container} out of the network ${name}`, () =>
      docker.getNetwork(id).disconnect({ Container, Force: true }),
    );
  return members.length > 0;
}

async function usersOf(docker: Docker, name: string, id: string): Promise<string[]> {
  const network = await askIfThere(`look at the network ${name}`, () =>
    docker.getNetwork(id).inspect(),
  );
  const containers: Record<string, { Name?: string }> = network?.Containers ?? {};
  return Object.entries(containers).map(([container, { Name }]) => Name ?? container.slice(0, 12));
}
