// The person of an instance that is elsewhere: types each command of `sett` until it has worked,
// and follows the log from the start to the end.
import { sleep } from "../../lib/async/sleep.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { Running } from "../support/cli/sett-process.ts";
import type { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import type { History } from "./history.ts";
import type { Violation } from "./history-checker.ts";

/** Its first connection may be too late on a busy machine: a person types it again. */
export async function startFollowing(sett: SettWorkspace): Promise<Running> {
  for (;;) {
    const follower = sett.start("watch", "--output", "jsonl", "--name", sett.name);
    let isOver = false;
    void follower.exited.then(() => {
      isOver = true;
    });
    await waitFor("the first event", () => isOver || follower.out().includes("\n"));
    if (!isOver) return follower;
  }
}

/** A person types it again with the same id, until it has been said that the goal is there. */
export async function forage(
  sett: SettWorkspace,
  goal: Artefact,
  signal: AbortSignal,
): Promise<void> {
  const words = ["forage", "--name", sett.name, "--id", goal.id, "--goal", goal.payload];
  for (;;) {
    const { code, err } = await sett.sett(...words);
    if (code === 0) return;
    signal.throwIfAborted();
    if (code !== 1) throw new Error(`sett forage ended with ${code}: ${err}`);
    await sleep(500, signal);
  }
}

type Ended = { sett: SettWorkspace; follower: Running; history: History };

/** A person who followed has seen each event once, and has each commit after `sett hoard`. */
export async function endingsOf({ sett, follower, history }: Ended): Promise<Violation[]> {
  const last = history.events.at(-1)?.id ?? "";
  // It may have ended, with an error.
  const isThere = () => follower.out().includes(`"${last}"`);
  await Promise.race([waitFor("the last event", isThere).catch(() => undefined), follower.exited]);
  const seen = follower
    .out()
    .split("\n")
    .filter((line) => line !== "");
  const ids = seen.map((line) => String(JSON.parse(line).id));
  const rule = "whoFollowsSeesEachEventOnce";
  const missing = history.events.filter(({ id }) => !ids.includes(id));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  const violations: Violation[] = [
    ...missing.map(({ id, type }) => ({
      ...{ kind: "lost" as const, rule },
      sentence: `\`sett watch\` has not shown ${type} ${id}: ${follower.err()}`,
    })),
    ...twice.map((id) => ({
      ...{ kind: "duplicated" as const, rule, sentence: `\`sett watch\` has shown ${id} twice.` },
    })),
  ];
  await sett.need("hoard", "--name", sett.name);
  for (const { id, type, metadata } of history.artefacts.values()) {
    if (type !== "CodeCommit") continue;
    const there = await sett
      .git("rev-parse", `refs/sett/${sett.name}/${id}`)
      .catch(() => "nothing");
    const sentence = `The commit of ${id} is ${metadata.commit}, and ${there} in the repository.`;
    if (there !== metadata.commit)
      violations.push({ kind: "lost", rule: "eachCommitComesToThePerson", sentence });
  }
  return violations;
}
