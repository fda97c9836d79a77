// sett up: check → prepare the images → apply the plan → wait until each part is ready, or undo
// everything.

import { SettError } from "../../../lib/model/errors.ts";
import { LockedWork, lockInstance } from "../instance/lock.ts";
import { runtimeNames } from "../instance/runtimes.ts";
import {
  cassetteArguments,
  clusterArguments,
  fileArgument,
  jsonArgument,
  nameArgument,
} from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { bringAbout } from "../up/bring-about.ts";
import { hostOf } from "../up/hosts/host-of.ts";
import { readOrder } from "../up/order.ts";
import { readValues } from "../up/secrets/read-values.ts";

export const up = defineCommand({
  name: "up",
  description: "start a sett, or update a running one to match sett.yml",
  details: [
    "Where there is no sett.yml, it offers to write the files of `sett init`, to commit them and to start the sett. It builds",
    "or pulls missing images, waits until each part is ready, and undoes everything if a part fails. It continues with the",
    "blackboard of an earlier `sett down`. If the sett runs already, it starts new agents, replaces agents whose settings or",
    "image have changed, stops agents that are no longer in sett.yml, and does not touch the others. Running commands of",
    "agents may finish within the shutdown time.",
  ].join("\n"),
  args: {
    name: {
      ...nameArgument,
      description:
        "the instance (default: the one of this repository, else a new one named after the folder)",
    },
    file: fileArgument,
    yes: {
      type: "boolean",
      description: "where there is no sett.yml, write and commit one without asking",
    },
    unattended: {
      type: "boolean",
      description:
        "ask no person, and wait for the Docker Engine: for a service of the system (docs/operations.md)",
    },
    "print-users": {
      type: "boolean",
      description:
        "start nothing, and print the commands that make the users of `services.redis.users` (docs/guides/elsewhere.md)",
    },
    json: {
      ...jsonArgument,
      description: "with --print-users: print JSON, with passwords",
    },
    build: {
      type: "boolean",
      description: "build the images of agents again, even if nothing has changed",
    },
    runtime: {
      type: "enum",
      options: [...runtimeNames],
      valueHint: "RUNTIME",
      description:
        "docker; process: all parts run as processes on this machine, without isolation; or kubernetes: as pods of a cluster (docs/guides/kubernetes.md)",
    },
    ...clusterArguments,
    ...cassetteArguments,
  },
  examples: [
    "sett up",
    "sett up --yes  # a first sett in a new repository",
    "sett up --name demo",
    "sett up --file ./other/sett.yml",
    "sett up --replay ./cassettes  # calls of models as they were recorded",
    "sett up --print-users | redis-cli -h redis.example.org --tls  # by the operators of that Redis",
    "sett up --unattended  # after a restart of the machine, by systemd",
  ],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    if (args.json && !args["print-users"])
      throw new SettError("usage", "--json goes with --print-users alone.");
    if (args["print-users"]) {
      const { printUsers } = await import("../up/print-users.ts");
      return await printUsers(args, shell);
    }
    await startInstance(args, shell);
    return undefined;
  },
});

/** Does what `sett up` does. */
export async function startInstance(
  args: Parameters<typeof readOrder>[0] & { build: boolean },
  outer: Shell,
): Promise<void> {
  const work = new LockedWork(outer);
  const shell = args.unattended ? { ...work.shell, isInteractive: false } : work.shell;
  const order = await readOrder(args, shell);
  const { instance, runtime } = order;
  using progress = new Progress(shell.err);
  const input = { ...order, progress, isRebuild: args.build, shell };
  const host = await hostOf(order, input);
  const at = { ...order, secretIn: host.secretIn };
  const read = await readValues(host.config, at, shell, args.unattended);
  await host.prepare();
  const lock = await lockInstance(runtime, instance, shell.interrupted);
  await work.under(lock, instance, () => bringAbout({ ...order, host, read, progress, shell }));
}
