// `notify` of sett.yml, all the way: from the file, through `sett up`, to a receiver on this
// machine; in containers and as processes.
import { expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { startHookReceiver } from "../support/world/hook-receiver.ts";

setDefaultTimeout(600_000);

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const releaser = `echo '{"structural_type":"Terminal","artefact_type":"Released","artefact_payload":"1.2.0","summary":"Released 1.2.0"}'`;
const wants = "    bids: [{ on: GoalDefined, bid: exclusive }]\n";
const hook = (url: string) =>
  `notify:\n  - { url: "${url}", secret: "${secret}", on: [achieved] }\n`;

/**
 * This machine, as a container of any network reaches it: the Engine knows, and only some say it of
 * their network `bridge`.
 */
const engineHost = async () => {
  const hosts =
    await $`docker run --rm --add-host engine-host:host-gateway redis:7-alpine cat /etc/hosts`.text();
  return /^(\S+)\s+engine-host$/m.exec(hosts)?.[1] ?? "";
};

const places = [
  { title: "a container", up: [] as string[], host: engineHost, listen: "0.0.0.0" },
  {
    title: "a process",
    up: ["--runtime", "process"],
    host: async () => "127.0.0.1",
    listen: "127.0.0.1",
  },
];

for (const { title, up, host, listen } of places) {
  test(`an orchestrator that is ${title} sends to the hook of sett.yml, and after a change and another \`up\` to the new one`, async () => {
    using receiver = startHookReceiver({ hostname: listen });
    const url = `http://${await host()}:${receiver.port}`;
    await using sett = await SettWorkspace.create({
      ...scriptAgent("releaser", releaser),
      "sett.yml": settYml({ releaser: wants }, hook(`${url}/one`)),
    });
    await sett.need("up", "--name", sett.name, ...up);
    const goal = await sett.forage("Release it");
    const first = await waitFor("the first message", () => receiver.received[0]);
    expect(first.path).toBe("/one");
    expect(first.body).toMatchObject({
      type: "goal.achieved",
      instance: sett.name,
      goal: { id: goal, summary: "Release it" },
    });
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signature = createHmac("sha256", key)
      .update(`${first.id}.${first.timestamp}.${first.text}`)
      .digest("base64");
    expect(first.signature).toBe(`v1,${signature}`);

    await sett.write({ "sett.yml": settYml({ releaser: wants }, hook(`${url}/two`)) });
    await sett.commit("Tell another");
    expect(await sett.need("up", "--name", sett.name, ...up)).toContain(
      ": replaced orchestrator; kept redis, releaser\n",
    );
    const next = await sett.forage("Release it again");
    const second = await waitFor("the second message", () => receiver.received[1]);
    expect(second.path).toBe("/two");
    expect(second.body.goal.id).toBe(next);
    expect(await sett.need("logs", "orchestrator")).not.toContain(secret);
    expect(receiver.received).toHaveLength(2);
  });
}

for (const { title, up, listen } of places) {
  test(`from ${title} a webhook that does not answer is named by status and doctor, until it is notified at host.docker.internal`, async () => {
    using receiver = startHookReceiver({ hostname: listen });
    receiver.stop();
    await using sett = await SettWorkspace.create({
      ...scriptAgent("releaser", releaser),
      "sett.yml": settYml(
        { releaser: wants },
        hook(`http://host.docker.internal:${receiver.port}/a-secret-path`),
      ),
    });
    await sett.need("up", "--name", sett.name, ...up);
    const goal = await sett.forage("Release it");
    const problems = async () =>
      JSON.parse(await sett.need("status", "--json", "--name", sett.name)).notice_problems;
    const [problem] = await waitFor("the problem to be on record", async () => {
      const found = await problems();
      return found.length > 0 && found;
    });
    const to = `http://${up.length === 0 ? "host.docker.internal" : "127.0.0.1"}:${receiver.port}`;
    expect(problem).toMatchObject({ to, is_given_up: false });
    const shown = await sett.need("status", "--name", sett.name);
    expect(shown.replace(/\s+/g, " ")).toContain(`The webhook ${to} could not be notified for`);
    const { out } = await sett.sett("doctor", "--name", sett.name);
    expect(out.replace(/\s+/g, " ")).toContain(`${to} could not be notified since`);
    expect(`${shown}${out}`).not.toContain("a-secret-path");

    receiver.start();
    const message = await waitFor("the message", () => receiver.received[0]);
    expect(message.body.goal.id).toBe(goal);
    await waitFor("the problem to be over", async () => (await problems()).length === 0);
  });
}
