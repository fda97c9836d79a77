// A Redis that ends at its start is shown at once, with the remedy, and its files are left as they
// are.
import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

test("a damaged file of Redis is named with its remedy, within seconds, by an `up` that starts Redis and by one that finds it", async () => {
  await using sett = await SettWorkspace.create({
    ...scriptAgent(
      "echo",
      `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`,
    ),
    "sett.yml": settYml({ echo: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n" }),
  });
  await sett.commit("Add a sett");
  await sett.up();
  const redis = `sett-${sett.name}-redis`;
  const manifest = "/data/appendonlydir/appendonly.aof.manifest";
  await $`docker exec ${redis} sh -c ${`cp ${manifest} /data/kept; : > ${manifest}`}`.quiet();
  await $`docker kill --signal KILL ${redis}`.quiet();
  const inVolume = (script: string) =>
    $`docker run --rm --volume ${`sett-${sett.name}-blackboard`}:/data --entrypoint sh sett/redis:latest -c ${script}`
      .quiet()
      .text();
  const expectRemedy = async () => {
    const began = performance.now();
    const { code, err } = await sett.sett("up", "--name", sett.name);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining("The AOF manifest does not name"),
    });
    expect(err).toContain(
      `The list of the append-only files in the volume sett-${sett.name}-blackboard`,
    );
    // The limit is for a loaded machine; without a watch on the container it takes a minute.
    expect(performance.now() - began).toBeLessThan(55_000);
    expect(await inVolume(`wc -c < ${manifest}`)).toBe("0\n");
  };
  await expectRemedy();
  // A Redis that the Engine starts again and again, as after a restart of the machine.
  await $`docker update --restart always ${redis} && docker start ${redis}`.quiet().nothrow();
  const restarts = async () =>
    Number(await $`docker inspect --format ${"{{.RestartCount}}"} ${redis}`.quiet().text());
  await waitFor("a second restart", async () => (await restarts()) >= 2);
  await expectRemedy();
  await inVolume(`cp /data/kept ${manifest}`);
  await sett.up();
});
