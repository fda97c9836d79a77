// What large repositories cost, by bare git and `docker run` in containers with the same limits, in
// turn. It needs the images.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { importHistory, type Measures, pathOf } from "../support/git/made-history.ts";
import { SettWorkspace, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { median, rounded } from "./figures.ts";

const repositories: Readonly<Record<string, Measures>> = {
  "5 000 files": {
    ...{ files: 5_000, filesPerFolder: 20, bytesEach: 2_000 },
    ...{ commits: 20_000, filesPerCommit: 1 },
  },
  "100 000 files": {
    ...{ files: 100_000, filesPerFolder: 20, bytesEach: 9_000 },
    ...{ commits: 300, filesPerCommit: 20 },
  },
};

/**
 * Each says when it began or ended, Unix seconds; the one that reads also what the cub and all that
 * it has waited for have taken of the processor by then, in ticks.
 */
const scripts = {
  reads: `began=$(date +%s.%N)
jq -n --arg began "$began" --arg ticks "$(cut -d' ' -f14-17 /proc/1/stat)" '{artefact_type: "Done", artefact_payload: $began, summary: $ticks, structural_type: "Terminal"}'`,
  commits: `set -e
for file in $(git ls-files | grep part-0/ | head -10); do date > "$file"; done
git add -A && git commit --quiet --message "Change ten files" >&2
jq -n --arg commit "$(git rev-parse HEAD)" --arg ended "$(date +%s.%N)" '{artefact_type: "Change", artefact_payload: $commit, summary: $ended}'`,
};

/** So many files as some hundred packages have. */
const install =
  "for a in $(seq 100); do mkdir -p node_modules/$a; for b in $(seq 100); do echo $b > node_modules/$a/$b; done; done";

const agents = {
  fresh: "    strategy: fresh_per_call\n",
  prepared: `    workspace: { prepare: { run: "${install}", key: [agents/prepared/run.sh] } }\n`,
  warm: "",
  writer: "    workspace: { mode: rw }\n",
  third: "",
  fourth: "",
  fifth: "",
};

type Row = { name: string; sett: () => Promise<number>; bare: () => Promise<number> };

/** Prints a line for each ratio: its median, and the medians that it is made of, milliseconds. */
export async function printRepositories(isQuick: boolean): Promise<void> {
  for (const [name, measures] of Object.entries(repositories)) {
    if (isQuick && measures.files > 10_000) continue;
    await using scene = await RepositoryScene.create(measures);
    console.log(`${name}, ${measures.commits} commits`);
    for (const row of scene.rows()) await printRow(row, isQuick ? 3 : 7);
    for (const [what, figure] of Object.entries({
      ...(await scene.sizes()),
      "processor of a warm cub before the tool, seconds": await scene.processorSeconds(
        isQuick ? 3 : 7,
      ),
    }))
      console.log(`  ${what.padEnd(66)}${rounded(figure, 2)}`);
    // Each of these makes the instance anew.
    for (const row of scene.firstRows()) await printRow(row, isQuick ? 1 : 7);
  }
}

async function printRow({ name, sett, bare }: Row, rounds: number): Promise<void> {
  const ofSett: number[] = [];
  const ofBare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ofSett.push(await sett());
    ofBare.push(await bare());
  }
  const ratio = median(ofSett) / median(ofBare);
  console.log(
    `  ${name.padEnd(66)}${rounded(ratio, 2)}  (${rounded(median(ofSett), 0)} / ${rounded(median(ofBare), 0)} ms)`,
  );
}

class RepositoryScene implements AsyncDisposable {
  readonly #sett: SettWorkspace;
  readonly #measures: Measures;
  #changes = 0;

  private constructor(sett: SettWorkspace, measures: Measures) {
    this.#sett = sett;
    this.#measures = measures;
  }

  /** The first goal of an agent brings its files; it is over when this returns. */
  static async create(measures: Measures): Promise<RepositoryScene> {
    const sett = await SettWorkspace.create();
    await $`git update-ref -d HEAD`.cwd(sett.folder);
    await importHistory(sett.folder, measures);
    await $`git reset --quiet --hard`.cwd(sett.folder);
    await addWhatGoalsDoNotReach(sett);
    const names = Object.keys(agents) as (keyof typeof agents)[];
    const bids = (name: string) =>
      `    bid_command: ["sh", "-c", "jq -r .payload | grep -q '^${name}' && echo exclusive || echo ignore"]\n`;
    await sett.write({
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`agents/${name}/Dockerfile`, "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n"],
          [
            `agents/${name}/run.sh`,
            `#!/bin/sh\ncat > /dev/null\n${name === "writer" ? scripts.commits : scripts.reads}\n`,
          ],
        ]),
      ),
      "sett.yml": settYml(
        Object.fromEntries(names.map((name) => [name, `${agents[name]}${bids(name)}`])),
      ),
    });
    await sett.commit("Add a sett");
    await sett.up();
    const scene = new RepositoryScene(sett, measures);
    for (const name of names) await scene.#goal(name);
    await scene.#makeRoom();
    return scene;
  }

  rows(): readonly Row[] {
    return [
      {
        name: "fresh worker, grant → tool ÷ docker run",
        sett: () => this.#untilTool("fresh"),
        bare: () => this.#run("true"),
      },
      {
        name: "the same, next commit ÷ docker run + git checkout",
        sett: () => this.#untilTool("fresh", true),
        bare: () => this.#bareCheckout(),
      },
      {
        name: "the same ÷ docker run + git worktree add",
        sett: () => this.#untilTool("fresh", true),
        bare: () => this.#bareTree(),
      },
      {
        name: "fresh worker with 10 000 prepared files ÷ without",
        sett: () => this.#untilTool("prepared"),
        bare: () => this.#untilTool("fresh"),
      },
      {
        name: "warm agent, grant → tool, next commit ÷ git status + git checkout",
        sett: () => this.#untilTool("warm", true),
        bare: () =>
          this.#inside(
            `cd /room/used && git status --short && git checkout --quiet --detach ${this.#other()}`,
          ),
      },
      {
        name: "tool's end → result with a commit ÷ git add + commit + push",
        sett: () => this.#untilRecorded(),
        bare: () =>
          this.#inside(
            `cd /room/used && for file in $(git ls-files | grep part-0/ | head -10); do date +%N > "$file"; done; ` +
              "date +%s.%N; git add -A && git -c user.name=a -c user.email=a@b commit --quiet -m x && git push --quiet /room/bare HEAD:refs/heads/x --force",
          ),
      },
      {
        name: "forage ÷ git status",
        sett: () => took(() => this.#forageByProgram()),
        bare: () => took(() => $`git status`.cwd(this.#sett.folder).quiet()),
      },
    ];
  }

  /** States a goal as a person does it, with the start of the program. */
  async #forageByProgram(): Promise<void> {
    const { code, err } = await this.#sett.sett("forage", "--goal", "a goal of no agent");
    if (code !== 0) throw new Error(err);
  }

  /** The first goal after `sett up`, which has made what it can. */
  firstRows(): readonly Row[] {
    const first = async () => {
      await this.#sett.need("down");
      await this.#sett.up();
      return await this.#untilTool("warm");
    };
    const bare = () => this.#bareTree();
    const beside = (job: () => Promise<number>) => async () => {
      const busy = Array.from({ length: 4 }, () =>
        Bun.spawn(["sh", "-c", "while :; do :; done"], { stdio: ["ignore", "ignore", "ignore"] }),
      );
      try {
        return await job();
      } finally {
        for (const each of busy) each.kill();
        await Promise.all(busy.map(({ exited }) => exited));
      }
    };
    return [
      { name: "first goal after up ÷ docker run + git worktree add", sett: first, bare },
      { name: "the same beside four busy processes", sett: beside(first), bare: beside(bare) },
    ];
  }

  #bareCheckout(): Promise<number> {
    return this.#run(`cd /room/used && git checkout --quiet --detach ${this.#other()}`);
  }

  async #bareTree(): Promise<number> {
    const took = await this.#run("git -C /room/bare worktree add --quiet --detach /room/new");
    await this.#run("rm -rf /room/new && git -C /room/bare worktree prune");
    return took;
  }

  /** Process 1 and all that it has waited for; Linux counts hundredths of a second. */
  async processorSeconds(rounds: number): Promise<number> {
    const container = `sett-${this.#sett.name}-agent-warm`;
    const taken: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await this.#nextCommit();
      const before = await $`docker exec ${container} cut -d ${" "} -f14-17 /proc/1/stat`.text();
      const { last } = await this.#goal("warm");
      taken.push((sumOf(last.summary ?? "") - sumOf(before)) / 100);
    }
    return median(taken);
  }

  /** Each by its counterpart. */
  async sizes(): Promise<Record<string, number>> {
    const bytes = async (folder: string) =>
      Number((await $`du -sb ${folder}`.text()).split("\t")[0]);
    const { folder, name } = this.#sett;
    const clone = `${folder}-clone`;
    await $`git clone --quiet --bare --single-branch --no-local ${folder} ${clone}`;
    const store = (await bytes(join(folder, ".git/sett/objects", name))) / (await bytes(clone));
    await rm(clone, { recursive: true });
    return {
      "store ÷ a bare clone of what HEAD reaches": store,
      "disk of the five agents that last ÷ one checkout": await this.#diskOfAgents(),
    };
  }

  async #diskOfAgents(): Promise<number> {
    const { name } = this.#sett;
    const all = await $`docker volume ls --quiet --filter name=sett-${name}`.text();
    const own = new RegExp(`^sett-${name}(?:-workspace-(?!fresh)[^.]+(?:\\.upper)?|\\.layer)$`);
    const isLaid = (volume: string) => all.includes(`${volume}.upper`);
    const bytes = await Promise.all(
      all
        .split("\n")
        .filter((volume) => own.test(volume) && !isLaid(volume))
        .map((volume) => this.#bytesIn(`${volume}:/measured:ro`)),
    );
    const checkout = Number(
      (await $`docker exec --user root ${this.#room} du -sk /room/used`.text()).split("\t")[0],
    );
    return bytes.reduce((sum, each) => sum + each, 0) / checkout;
  }

  /** In KiB. */
  async #bytesIn(volume: string): Promise<number> {
    const image = `sett-${this.#sett.name}-agent-warm:latest`;
    const said =
      await $`docker run --rm --user root --volume ${volume} --entrypoint du ${image} -sk /measured`.text();
    return Number(said.split("\t")[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await $`docker rm --force ${this.#room}`.quiet().nothrow();
    await this.#sett[Symbol.asyncDispose]();
  }

  get #room(): string {
    return `${this.#sett.name}-room`;
  }

  /** A container with the limits of an agent, in which the counterparts keep their files. */
  async #makeRoom(): Promise<void> {
    const { folder, name } = this.#sett;
    await $`docker run --detach --name ${this.#room} ${await this.#limits()} --volume /room --volume ${folder}/.git:/repository:ro --user root --entrypoint sleep sett-${name}-agent-warm:latest infinity`.quiet();
    await this.#inside(
      "git config --global safe.directory '*'; git clone --quiet --bare /repository /room/bare && " +
        "git -C /room/bare worktree add --quiet --detach /room/used",
    );
  }

  async #limits(): Promise<string[]> {
    const of = "{{.HostConfig.NanoCpus}} {{.HostConfig.Memory}}";
    const [cpus, memory] = (
      await $`docker inspect --format ${of} sett-${this.#sett.name}-agent-warm`.text()
    )
      .trim()
      .split(" ");
    return ["--cpus", `${Number(cpus) / 1e9}`, "--memory", `${memory}`];
  }

  /** Milliseconds of a command in a container of its own, until that has gone. */
  async #run(command: string): Promise<number> {
    const image = `sett-${this.#sett.name}-agent-warm:latest`;
    const limits = await this.#limits();
    const shell = `git config --global safe.directory '*'; ${command}`;
    return took(() =>
      $`docker run --rm ${limits} --volumes-from ${this.#room} --user root --entrypoint sh ${image} -c ${command === "true" ? command : shell}`.quiet(),
    );
  }

  /** Milliseconds of a command in a container that runs, from the moment that it prints, if any. */
  async #inside(command: string): Promise<number> {
    const timed = `date +%s.%N; ${command}; date +%s.%N`;
    const times = [
      ...(await $`docker exec --user root ${this.#room} sh -c ${timed}`.text()).matchAll(
        /^\d+\.\d{9}$/gm,
      ),
    ].map(([text]) => Number(text));
    return ((times.at(-1) ?? Number.NaN) - (times.at(-2) ?? Number.NaN)) * 1_000;
  }

  /** One of two neighbouring commits, by turns. */
  #other(): string {
    this.#changes += 1;
    return this.#changes % 2 === 0 ? "main" : "main~1";
  }

  async #untilTool(agent: string, isNext = false): Promise<number> {
    if (isNext) await this.#nextCommit();
    const { queuedMs, last } = await this.#goal(agent);
    return Number(last.payload) * 1_000 - queuedMs;
  }

  async #untilRecorded(): Promise<number> {
    const { last } = await this.#goal("writer");
    return Date.parse(last.createdAt) - Number(last.summary) * 1_000;
  }

  /** As many files change as in each commit before. */
  async #nextCommit(): Promise<void> {
    this.#changes += 1;
    const { filesPerCommit } = this.#measures;
    await this.#sett.write(
      Object.fromEntries(
        Array.from({ length: filesPerCommit }, (_, at) => [
          pathOf(at * 97, this.#measures),
          `Change ${this.#changes}\n`,
        ]),
      ),
    );
    await this.#sett.commit(`Next ${this.#changes}`);
  }

  async #goal(agent: string) {
    const goal = await this.#sett.forage(agent);
    const events = await waitFor(
      `the result of ${agent}`,
      async () => {
        const all = await this.#sett.events(goal);
        return all.some(({ type }) => type === "grant_done") && all;
      },
      { timeoutMs: 600_000, everyMs: 200 },
    );
    const queued = events.find(({ type }) => type === "grant_queued");
    const last = (await this.#sett.artefacts(goal)).at(-1);
    if (queued === undefined || last === undefined) throw new Error("The goal has no result.");
    return {
      queuedMs: Date.parse(queued.time),
      last: { payload: last.payload, summary: last.metadata.summary, createdAt: last.created_at },
    };
  }
}

async function took(job: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await job();
  return performance.now() - began;
}

function sumOf(ticks: string): number {
  return ticks
    .trim()
    .split(" ")
    .reduce((sum, each) => sum + Number(each), 0);
}

/** A branch, a stash and removed history, in the one pack that there is. */
async function addWhatGoalsDoNotReach({ folder }: SettWorkspace): Promise<void> {
  const add = async (name: string) => {
    await Bun.write(join(folder, name), crypto.randomUUID().repeat(3_000));
    await $`git add -A`.cwd(folder);
  };
  await $`git switch --quiet --create other`.cwd(folder);
  await add("branch.txt");
  await $`git commit --quiet --message Branch && git switch --quiet main`.cwd(folder);
  await add("stash.txt");
  await $`git stash --quiet`.cwd(folder);
  await add("removed.txt");
  await $`git commit --quiet --message Removed && git reset --quiet --hard HEAD~1`.cwd(folder);
  await $`git repack -adq --window=0`.cwd(folder);
}
