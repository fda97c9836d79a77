// Measures what proof costs: sealing an event, and verifying a bundle of a whole log by both
// verifiers, beside `sha256sum` of the same file. It is processor time, so that the figures hold on
// a machine on which others work, too.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildForTests } from "../../.ci/go.ts";
import { BundleWriter } from "../../apps/cli/audit/bundle-file.ts";
import { OwnKeys } from "../../apps/orchestrator/notary/own-keys.ts";
import { SealedFiles } from "../../apps/orchestrator/notary/sealed-files.ts";
import { SealedLog } from "../../apps/orchestrator/notary/sealed-log.ts";
import type { FactDigest } from "../../lib/model/fact.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { verifierKeyText } from "../../lib/proof/note.ts";
import { basisIn } from "../../lib/replay/decision-on-record.ts";
import { newKey } from "../support/proof/bundle.ts";
import { root } from "../support/root.ts";
import { memoryClan, worker } from "../support/world/memory-clan.ts";
import { rounded } from "./figures.ts";

type Event = { type: string; event: string };
/** `rest`: events that are about no goal. `contents`: files of the goal, `facts` of all. */
type Template = {
  rest: Event[];
  events: Event[];
  contents: Map<string, string>;
  facts: Map<string, string>;
};

/** The notary reads so many at once. */
const pageSize = 1_000;
const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export async function printProof(isQuick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sett-proof-"));
  try {
    const count = isQuick ? 50_000 : 1_000_000;
    const { path, key, events } = await sealAndPack(folder, count);
    const { size } = await stat(path);
    console.log(`a bundle of ${events} events, ${rounded(size / 1e6)} MB`);
    const verifiers = {
      "sett audit verify": ["bun", join(root, "apps/cli/main.ts"), "audit", "verify"],
      "sett-verify": [await buildForTests("verify")],
    };
    // The best of several: others can only make it longer.
    const sum = () => costOf(["sha256sum", path]);
    const beside = Math.min(
      ...[await sum(), await sum(), await sum()].map(({ seconds }) => seconds),
    );
    console.log(`  sha256sum: ${rounded(beside)} s`);
    for (const [name, words] of Object.entries(verifiers)) {
      const runs = [await costOf([...words, path, "--key", key])];
      if (isQuick) runs.push(await costOf([...words, path, "--key", key]));
      const seconds = Math.min(...runs.map((one) => one.seconds));
      const megabytes = Math.max(...runs.map((one) => one.megabytes));
      const ratio = rounded(seconds / beside);
      console.log(
        `  ${name}: ${rounded(seconds)} s, ${ratio} of sha256sum, ${rounded(megabytes)} MB`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The memory that a process counts for itself begins with that of the one that started it. */
async function costOf(command: string[]): Promise<{ seconds: number; megabytes: number }> {
  const program = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  let kilobytes = 0;
  while (program.exitCode === null) {
    const status = await readFile(`/proc/${program.pid}/status`, "utf8").catch(() => "");
    kilobytes = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? kilobytes);
    await Promise.race([program.exited, Bun.sleep(50)]);
  }
  const usage = program.resourceUsage();
  if (program.exitCode !== 0 || usage === undefined)
    throw new Error(`${command[0]}: ${await new Response(program.stderr).text()}`);
  return { seconds: Number(usage.cpuTime.total) / 1e6, megabytes: (kilobytes * 1_024) / 1e6 };
}

/** Seals a log as the notary does, and writes the bundle of all of it. */
async function sealAndPack(folder: string, count: number) {
  const { signer } = newKey();
  const template = await playGoal();
  const sealed = await SealedLog.open(
    new SealedFiles(join(folder, "sealed")),
    new OwnKeys(signer),
    {
      ...{ size: 0, isWriter: true },
    },
  );
  const path = join(folder, "bundle.tar");
  using bundle = new BundleWriter(path);
  let page: { place: string; type: string; event: string }[] = [];
  const costs = { seconds: 0 };
  const seal = async () => {
    const before = process.cpuUsage();
    await sealed.append(page);
    await sealed.sign();
    const { user, system } = process.cpuUsage(before);
    costs.seconds += (user + system) / 1e6;
    page = [];
  };
  const goals = Math.ceil(count / template.events.length);
  for (let at = 0, ms = 1_795_230_000_000; at < goals; at++) {
    const { events, contents } = copyOf(template, at);
    for (const [name, text] of contents) bundle.add(name, text);
    for (const event of at === 0 ? [...template.rest, ...events] : events)
      page.push({ place: `${ms++}-0`, ...event });
    if (page.length >= pageSize) await seal();
  }
  await seal();
  const files = await readdir(join(folder, "sealed"), { recursive: true });
  console.log(
    `sealing: ${rounded((costs.seconds / sealed.size) * 1e6)} µs an event, ${files.length} files for ${goals} goals`,
  );
  for (const [digest, text] of template.facts) bundle.add(`facts/${digest}`, text);
  bundle.add("checkpoint", await sealed.sign());
  const entries = bundle.begin("entries");
  for await (const { index, entry } of sealed.all()) entries.write(`${index} ${entry}`);
  entries.end();
  const records = bundle.begin("records.jsonl");
  for await (const { record } of sealed.all()) records.write(`${record}\n`);
  records.end();
  bundle.keep();
  return { path, key: verifierKeyText(signer), events: sealed.size };
}

/** A goal that an agent has done, on a blackboard in memory. */
async function playGoal(): Promise<Template> {
  await using clan = await memoryClan();
  await clan.join({ worker: { behaviour: worker } });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  await clan.ended(goal);
  const raw = await clan.board.readRawEvents("0", pageSize);
  const template: Template = {
    rest: raw.filter(({ event }) => !event.includes(goal.goal_id)),
    events: raw.filter(({ event }) => event.includes(goal.goal_id)),
    contents: new Map(),
    facts: new Map(),
  };
  const digests = new Set<FactDigest>();
  for (const event of await clan.events()) {
    const basis = basisIn(event);
    if (basis !== undefined) digests.add(basis.registry).add(basis.policy);
    if (event.type !== "artefact_created") continue;
    const record = await clan.board.readRecord(event.artefact_id as ArtefactId);
    template.contents.set(
      `artefacts/${event.artefact_id}.json`,
      Buffer.from(record ?? "", "base64").toString(),
    );
  }
  template.facts = new Map(await clan.board.readFacts([...digests], undefined));
  return template;
}

/** The same goal with other ids, and the digests that its artefacts have then. */
function copyOf(template: Template, at: number): Pick<Template, "events" | "contents"> {
  const renamed = (text: string) =>
    text.replace(ids, (id) => {
      const hex = sha256(`${at} ${id}`);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    });
  const digests = new Map<string, string>();
  const contents = new Map<string, string>();
  for (const [name, text] of template.contents) {
    const copy = renamed(text);
    digests.set(sha256(text), sha256(copy));
    contents.set(renamed(name), copy);
  }
  const events = template.events.map(({ type, event }) => ({
    type,
    event: renamed(event).replace(/[0-9a-f]{64}/g, (digest) => digests.get(digest) ?? digest),
  }));
  return { events, contents };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
