// sett agent-env: shows how an external agent connects to Redis.

import { kindOf } from "../../../lib/client/facts/agent-kind.ts";
import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { agentUrlOf } from "../instance/place.ts";
import { openSession } from "../instance/session.ts";
import { dataArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const agentEnv = defineCommand({
  name: "agent-env",
  description: "show how an external agent connects to Redis",
  details: [
    "Prints variables for the environment of the agent's program: the URL of Redis on this machine, with the agent's own user",
    "and password. That user may do what an agent does, and nothing else. The port is another one whenever Redis starts again,",
    "and so is the password after `sett down`.",
  ].join("\n"),
  args: {
    agent: {
      type: "positional",
      required: true,
      description: "an agent with `external: true` in sett.yml",
    },
    ...dataArguments,
  },
  examples: [
    "sett agent-env approver",
    'redis-cli -u "$(sett agent-env approver --json | jq -r .REDIS_URL)"',
  ],
  isOfThisMachine: true,
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const { board, place } = session;
    const known = await board.listAgents();
    const agent = known.find(({ name }) => name === args.agent);
    if (agent === undefined || kindOf(agent) !== "external") throw notExternal(args.agent, known);
    const env = {
      SETT_INSTANCE_NAME: place.instance,
      SETT_AGENT_NAME: agent.name,
      REDIS_URL: agentUrlOf(place, agent.name),
    };
    if (args.json) await shell.out.write(`${JSON.stringify(env)}\n`);
    else
      for (const [name, value] of Object.entries(env)) await shell.out.write(`${name}=${value}\n`);
  },
});

function notExternal(name: string, known: readonly RegisteredAgent[]): SettError {
  const external = known.filter((agent) => kindOf(agent) === "external").map((agent) => agent.name);
  const shown = shorten(oneLine(name), 60);
  return new SettError("agent-not-found", `There is no external agent ${shown}.`, {
    hint:
      external.length === 0
        ? "An agent with `external: true` in sett.yml is one, after `sett up`."
        : `There are: ${external.join(", ")}. \`sett up\` starts the other agents itself.`,
  });
}
