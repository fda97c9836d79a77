// What was left without a label, as by two who knew nothing of each other: it is seen, used or mended by `up`, and removed by `down`.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { $ } from "bun";
import Docker from "dockerode";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

let sett: SettWorkspace;

beforeEach(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("echo", `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`),
    "sett.yml": settYml({ echo: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
}, 300_000);

afterEach(async () => {
  await sett[Symbol.asyncDispose]();
  for (const name of await named()) await $`docker rm -f ${name} || docker volume rm ${name}`.quiet().nothrow();
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

const listed = async () => JSON.parse(await sett.need("list", "--json")).find(({ name }: { name: string }) => name === sett.name);

/** Another network of that name. False on an Engine that refuses it. */
async function secondNetwork(): Promise<boolean> {
  return await new Docker().createNetwork({ Name: `sett-${sett.name}`, CheckDuplicate: false }).then(
    () => true,
    () => false,
  );
}

test("volumes and networks without labels are listed, and gone with down --volumes", async () => {
  await $`docker volume create sett-${sett.name}-workspace-echo && docker network create sett-${sett.name}`.quiet();
  await secondNetwork();
  expect(await listed()).toMatchObject({ state: "down", workspace: "" });
  await sett.need("down", "--name", sett.name, "--volumes");
  expect(await named()).toEqual([]);
}, 300_000);

test("up goes on with volumes without labels, makes one of two networks, and takes the place of a container", async () => {
  await $`docker volume create sett-${sett.name}-workspace-echo && docker volume create sett-${sett.name}-blackboard`.quiet();
  await $`docker network create sett-${sett.name} && docker create --name sett-${sett.name}-orchestrator sett/agent-base`.quiet();
  await secondNetwork();
  await sett.up();
  expect((await named()).filter((name) => name === `sett-${sett.name}`)).toHaveLength(1);
  await sett.need("forage", "--goal", "hello", "--watch", "--name", sett.name);
  // A second one beside the one in use, which is left alone.
  await secondNetwork();
  expect(await sett.need("up", "--name", sett.name)).toContain("nothing has changed");
  expect((await named()).filter((name) => name === `sett-${sett.name}`)).toHaveLength(1);
  await sett.need("down", "--name", sett.name, "--volumes", "--timeout", "1s");
  expect(await named()).toEqual([]);
}, 300_000);

test("two networks of one name, both in use, are made one again", async () => {
  await sett.up();
  if (!(await secondNetwork())) return;
  const ids = (await $`docker network ls -q --no-trunc --filter name=sett-${sett.name}`.text()).trim().split("\n");
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
