// `sett audit export` and `sett audit key`.
import { resolve } from "node:path";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { keepCheckpoint } from "../instance/keep-checkpoint.ts";
import { openSession, type Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { exportBundle, keyOf } from "./export-bundle.ts";

type Order = {
  goal: string | undefined;
  all: boolean;
  to: string | undefined;
  json: boolean;
  name: string | undefined;
};

export async function exportAudit(order: Order, shell: Shell): Promise<undefined> {
  if ((order.goal === undefined) === !order.all)
    throw new SettError("usage", "`sett audit export` needs either a goal or --all.", {
      hint: "For example: `sett audit export 9f3a12b4`",
    });
  await using session = await openSession(shell, order.name);
  const instance = besideNotary(session);
  const { board, place } = session;
  const goal =
    order.goal === undefined ? undefined : await resolveGoalId(board, order.goal, shell.suggest);
  const what = goal === undefined ? "all" : shortId(goal);
  const file = resolve(shell.cwd, order.to ?? `sett-proof-${what}.tar`);
  const { key, entries, isBehind } = await exportBundle(
    shell,
    board,
    { instance, goal, path: file },
    (checkpoint) => keepIn(place.workspace, shell, { instance, checkpoint }),
  );
  if (order.json) await shell.out.write(`${JSON.stringify({ file, key, entries, isBehind })}\n`);
  if (isBehind)
    shell.messages.warn("The notary is behind: what was recorded last is not sealed yet.");
  shell.messages.done(`${entries} events are in ${file}.`);
  shell.messages.next(`Anyone can check it: sett audit verify ${file} --key ${key}`);
  return undefined;
}

/** The clone from which it is exported has then seen what the bundle is about. */
async function keepIn(
  workspace: string | undefined,
  shell: Shell,
  noted: { instance: InstanceName; checkpoint: string },
): Promise<void> {
  if (workspace === undefined || workspace === "") return;
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository = await HostRepository.open(workspace, shell).catch(() => undefined);
  if (repository !== undefined) await keepCheckpoint(repository, noted, shell);
}

export async function printKey({ name }: Pick<Order, "name">, shell: Shell): Promise<undefined> {
  await using session = await openSession(shell, name);
  await shell.out.write(`${await keyOf(shell, besideNotary(session))}\n`);
  return undefined;
}

/** Another instance of this machine may have the name of one that is reached by its API. */
function besideNotary({ place }: Session): InstanceName {
  if (!("api" in place)) return place.instance;
  throw new SettError("not-ready", `The notary of ${place.instance} is on another machine.`, {
    hint: "Do this where `sett up` has started it.",
  });
}
