// Measures what a greedy agent costs the others: the time of their goals while it takes all that it
// can get of the machine. It needs the images.
import { bidByName, obedient } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { median } from "./figures.ts";

/** The greedy agent repeats one of these. */
const harms: Readonly<Record<string, string>> = {
  fork_bomb: "f() { f | f & }; while :; do f > /dev/null 2>&1; done",
  full_disk: "while :; do n=$((n+1)); head -c 8M /dev/zero > /workspace/$n; done",
  output_10_gb: "exec 2>&1; head -c 10G /dev/zero",
  files_10000: "mkdir d; for n in $(seq 10000); do : > d/$n; done",
};

/**
 * Median milliseconds from an honest agent's goal to its result, alone (`goal_ms`) and while the
 * greedy one does each harm. Limits are the defaults, but that the disk is soon full and a run ends
 * after 20 s.
 */
export async function harmFigures(rounds: number): Promise<Record<string, number>> {
  await using sett = await SettWorkspace.create({
    ...scriptAgent("greedy", obedient),
    ...scriptAgent("honest", obedient),
    "sett.yml": settYml({
      greedy: `    timeout: 20s\n    resources: { limits: { disk: 2G } }\n    workspace: { mode: rw }\n${bidByName("greedy")}`,
      honest: bidByName("honest"),
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();

  /** From the goal to its result or Failure. */
  const goalMs = async (text: string) => {
    const goal = await sett.forage(text);
    const artefacts = async () =>
      (await sett.events(goal)).filter(({ type }) => type === "artefact_created");
    const [first, last] = await waitFor(
      "the result",
      async () => ((all) => all.length > 1 && all)(await artefacts()),
      {
        timeoutMs: 120_000,
        everyMs: 100,
      },
    );
    return Date.parse(last?.time ?? "") - Date.parse(first?.time ?? "");
  };
  const honestMs = async () => {
    const samples: number[] = [];
    for (let round = 0; round < rounds; round++) samples.push(await goalMs("honest: :"));
    return median(samples);
  };

  await goalMs("honest: :");
  const figures: Record<string, number> = { goal_ms: await honestMs() };
  for (const [name, script] of Object.entries(harms)) {
    let isMeasuring = true;
    const harm = (async () => {
      while (isMeasuring) await goalMs(`greedy: ${script}`);
    })();
    // It has begun.
    await Bun.sleep(1_000);
    figures[`goal_beside_${name}_ms`] = await honestMs();
    isMeasuring = false;
    await harm;
  }
  return figures;
}
