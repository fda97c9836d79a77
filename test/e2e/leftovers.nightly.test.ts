// What has a name of the instance and is not its own is named before anything is made, and never
// used or removed.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { $ } from "bun";
import Docker from "dockerode";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

let sett: SettWorkspace;

beforeEach(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "echo",
      `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`,
    ),
    "sett.yml": settYml({ echo: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
}, 300_000);

afterEach(async () => {
  await sett[Symbol.asyncDispose]();
  for (const name of await named())
    await $`docker rm -f ${name} || docker volume rm ${name}`.quiet().nothrow();
});

/** Containers, volumes and networks with names of this instance. */
async function named(): Promise<string[]> {
  const own = `name=sett-${sett.name}`;
  const lists = await Promise.all([
    $`docker ps -a --filter ${own} --format ${"{{.Names}}"}`.text(),
    $`docker volume ls --filter ${own} --format ${"{{.Name}}"}`.text(),
    $`docker network ls --filter ${own} --format ${"{{.Name}}"}`.text(),
  ]);
  return lists.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

/**
 * Another network of that name and with its labels, as two processes make them. False on an Engine
 * that refuses it.
 */
async function secondNetwork(): Promise<boolean> {
  const { Labels } = await new Docker().getNetwork(`sett-${sett.name}`).inspect();
  return await new Docker()
    .createNetwork({ Name: `sett-${sett.name}`, Labels, CheckDuplicate: false })
    .then(
      () => true,
      () => false,
    );
}

const strangers = {
  volume: (name: string) => $`docker volume create ${name}`.quiet(),
  network: (name: string) => $`docker network create ${name}`.quiet(),
  container: (name: string) =>
    $`docker create --name ${name} --entrypoint true sett/agent-base`.quiet(),
};

test("a stranger's container, volume or network is named before anything is built, and left alone by up and down", async () => {
  const own = `sett-${sett.name}`;
  const all = [
    ["container", `${own}-redis`, `docker rm --force ${own}-redis`],
    ["volume", `${own}-blackboard`, `docker volume rm ${own}-blackboard`],
    ["volume", `${own}-workspace-echo`, `docker volume rm ${own}-workspace-echo`],
    ["network", own, `docker network rm ${own}`],
    ["container", `${own}.lock`, `docker rm --force ${own}.lock`],
  ] as const;
  for (const [sort, name, remedy] of all) {
    await strangers[sort](name);
    const { code, err } = await sett.sett("up", "--name", sett.name);
    expect(code).toBe(1);
    expect(err).toContain(`${sort} ${name} exists that Sett has not made for this instance.`);
    expect(err).toContain(remedy);
    expect(err).not.toContain("building");
    expect((await sett.sett("down", "--name", sett.name, "--volumes")).code).toBe(1);
    expect(await named()).toEqual([name]);
    expect(
      JSON.parse(await sett.need("list", "--json")).map((each: { name: string }) => each.name),
    ).not.toContain(sett.name);
    await $`${{ raw: remedy }}`.quiet();
  }
}, 300_000);

test("what a person makes from an agent's container, or beside it, outlives the instance", async () => {
  await sett.up();
  const own = `sett-${sett.name}`;
  const [kept, image] = [`keepme-${sett.name}`, `kept-${sett.name}`];
  const nameless = (await $`docker commit ${own}-agent-echo`.text()).trim();
  await $`docker commit ${own}-agent-echo ${image}`.quiet();
  // Nothing needs this name, and no label says that it is ours.
  const volume = `${own}-workspace-c`;
  await $`docker volume create ${volume} && docker create --name ${kept} ${image} && docker create --name ${own}-agent-spare ${image}`.quiet();
  try {
    const listed = JSON.parse(await sett.need("list", "--json")).find(
      ({ name }: { name: string }) => name === sett.name,
    );
    const names = ["agent-echo", "orchestrator", "recorder", "redis"].map(
      (part) => `${own}-${part}`,
    );
    expect(listed.containers.map(({ name }: { name: string }) => name)).toEqual(names);
    expect((await sett.sett("doctor")).out).not.toContain(kept);
    await sett.up();
    await sett.need("down", "--timeout", "1s");
    // In the place of one of ours, with each of its labels.
    await $`docker rename ${own}-agent-spare ${own}-agent-echo`.quiet();
    const { err } = await sett.sett("up", "--name", sett.name);
    expect(err).toContain(`A container ${own}-agent-echo exists that Sett has not made`);
    await $`docker rename ${own}-agent-echo ${own}-agent-spare`.quiet();
    await sett.up();
    await sett.need("down", "--volumes", "--timeout", "1s");
    expect(await named()).toEqual([`${own}-agent-spare`, volume]);
    await $`docker container inspect ${kept}`.quiet();
    await $`docker image inspect ${nameless} ${image}`.quiet();
  } finally {
    await $`docker rm --force ${kept} ${own}-agent-spare; docker volume rm ${volume}; docker rmi --force ${image} ${nameless}`
      .nothrow()
      .quiet();
  }
}, 300_000);

test("the id of the instance is kept in git's configuration, and a blackboard of another id is refused", async () => {
  const id = () => $`git config sett.${sett.name}.id`.cwd(sett.folder).nothrow().text();
  await sett.up();
  const first = await id();
  expect(first).toMatch(/^[0-9a-f]{16}\.\d+\n$/);
  expect(
    await $`docker volume inspect --format ${'{{index .Labels "dev.sett.id"}}'} sett-${sett.name}-blackboard`.text(),
  ).toBe(first);
  await sett.need("down", "--timeout", "1s");
  // As in a fresh clone in the same place.
  await $`git config --remove-section sett.${sett.name}`.cwd(sett.folder).quiet();
  await sett.up();
  expect(await id()).toBe(first);
  await sett.need("down", "--timeout", "1s");
  await $`git config sett.${sett.name}.id 00.1`.cwd(sett.folder).quiet();
  const { code, err } = await sett.sett("up", "--name", sett.name);
  expect(code).toBe(1);
  expect(err).toContain(`git config sett.${sett.name}.id ${first.trim()}`);
  await $`git config sett.${sett.name}.id ${first.trim()}`.cwd(sett.folder).quiet();
  await sett.up();
  await sett.need("down", "--volumes", "--timeout", "1s");
  expect(await id()).toBe("");
}, 300_000);

test("a volume with all labels of ours and no id is another's: `up` names it, and `down` leaves it alone", async () => {
  const own = `sett-${sett.name}`;
  await sett.up();
  const { "dev.sett.id": _, ...labels } = JSON.parse(
    await $`docker volume inspect --format ${"{{json .Labels}}"} ${own}-blackboard`.text(),
  );
  await sett.need("down", "--volumes", "--timeout", "1s");
  const words = Object.entries(labels).map(([label, value]) => `--label=${label}=${value}`);
  await $`docker volume create ${words} ${own}-blackboard`.quiet();
  const { code, err } = await sett.sett("up", "--name", sett.name);
  expect(code).toBe(1);
  expect(err).toContain(
    `A volume ${own}-blackboard exists that Sett has not made for this instance.`,
  );
  expect(err).not.toContain("building");
  await sett.sett("down", "--name", sett.name, "--volumes", "--timeout", "1s");
  expect(await named()).toEqual([`${own}-blackboard`]);
  await $`docker volume rm ${own}-blackboard`.quiet();
}, 300_000);

test("a stranger's image with the name of an agent's is named before anything is built, and one made of ours is never removed", async () => {
  const image = `sett-${sett.name}-agent-echo:latest`;
  const idOf = async (name: string) =>
    (await $`docker image inspect --format ${"{{.Id}}"} ${name}`.text()).trim();
  await $`docker tag sett/agent-base:latest ${image}`.quiet();
  const { code, err } = await sett.sett("up", "--name", sett.name);
  expect(code).toBe(1);
  expect(err).toContain(`An image ${image} exists that Sett has not made for this instance.`);
  expect(err).toContain(`docker image rm ${image}`);
  expect(err).not.toContain("building");
  expect(await idOf(image)).toBe(await idOf("sett/agent-base:latest"));
  await $`docker image rm ${image}`.quiet();

  await sett.up();
  const first = await idOf(image);
  await sett.write({ "mine/Dockerfile": `FROM ${image}\nCOPY Dockerfile /mine\n` });
  const mine = (await $`docker build --quiet mine`.cwd(sett.folder).text()).trim();
  try {
    await sett.write({
      "agents/echo/more": "more",
      "agents/echo/Dockerfile": "FROM sett/agent-base:latest\nCOPY . /app/\n",
    });
    await sett.commit("Change the agent");
    await sett.up();
    expect(await idOf(image)).not.toBe(first);
    // Labels and all, in the place of ours.
    await sett.write({ "mine/Dockerfile": `FROM ${image}\nENV MINE=1\n` });
    await $`docker build --quiet --tag ${image} mine`.cwd(sett.folder).quiet();
    expect((await sett.sett("up", "--name", sett.name)).err).toContain(`An image ${image} exists`);
    await $`docker image rm ${image}`.quiet();
    await sett.up();
    await sett.need("down", "--volumes", "--timeout", "1s");
    expect(await idOf(mine)).toBe(mine);
  } finally {
    await $`docker rmi --force ${mine}`.quiet().nothrow();
  }
}, 300_000);

test("of two strangers' networks of one name the remedy names each by its id, and works", async () => {
  const name = `sett-${sett.name}`;
  await $`docker network create ${name}`.quiet();
  await new Docker().createNetwork({ Name: name, CheckDuplicate: false }).catch(() => undefined);
  const { err } = await sett.sett("up", "--name", sett.name);
  const remedies = [...err.replace(/\s+/g, " ").matchAll(/docker network rm [\w-]+/g)].map(
    ([remedy]) => remedy,
  );
  expect(remedies).toHaveLength((await named()).length);
  for (const remedy of remedies) await $`${{ raw: remedy }}`.quiet();
  expect(await named()).toEqual([]);
  await sett.up();
}, 300_000);

test("two networks of one name, both in use, are made one again", async () => {
  await sett.up();
  if (!(await secondNetwork())) return;
  const ids = (await $`docker network ls -q --no-trunc --filter name=sett-${sett.name}`.text())
    .trim()
    .split("\n");
  const agent = `sett-${sett.name}-agent-echo`;
  const own = (
    await $`docker inspect --format ${"{{range .NetworkSettings.Networks}}{{.NetworkID}}{{end}}"} ${agent}`.text()
  ).trim();
  const other = ids.find((id) => id !== own) ?? "";
  await new Docker().getNetwork(own).disconnect({ Container: agent });
  await new Docker().getNetwork(other).connect({ Container: agent });
  await sett.up();
  expect((await named()).filter((name) => name === `sett-${sett.name}`)).toHaveLength(1);
  await sett.need("forage", "--goal", "hello", "--watch");
}, 300_000);
