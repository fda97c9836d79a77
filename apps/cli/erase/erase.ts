// Erases what `sett erase` is about, step by step: first on record, so that nothing is ever missing
// without a word, then what is kept elsewhere, and last what Redis' file still has of it.
import { keysOf } from "../../../lib/blackboard/records/keys.ts";
import type { Sign } from "../../../lib/client/actions/sign.ts";
import type { ErasedCommits, StayingCommit } from "../../../lib/git/repository/erase-commits.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { askService } from "../instance/ask-service.ts";
import { gitOf } from "../instance/packs-place.ts";
import { isServing, type Place } from "../instance/place.ts";
import type { Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { type ErasableBoard, eraseRecords } from "./erase-record.ts";
import type { Kept, Subject } from "./subject.ts";

export type EraseOrder = {
  actor: Actor;
  reason: string;
  sign: Sign | undefined;
  withQuotes: boolean;
  isDry: boolean;
};

/**
 * `erased`: how many artefacts were not erased before. `kept`: what was kept elsewhere and is
 * removed. `staying`: commits that stay. `unfinished`: sentences about what could not be reached
 * now.
 */
export type Erased = {
  subject: Subject;
  erased: number;
  kept: Kept;
  commits: number;
  staying: StayingCommit[];
  isRewritten: boolean;
  unfinished: string[];
};

/** Throws `request-refused`, `interrupted`. */
export async function erase(
  { board, place }: Pick<Session, "place"> & { board: ErasableBoard },
  subject: Subject,
  order: EraseOrder,
  shell: Shell,
): Promise<Erased> {
  const kept = keptOf(subject, order);
  const none = { commits: subject.commits.length, staying: [], isRewritten: false, unfinished: [] };
  if (order.isDry) return { subject, erased: 0, kept, ...none };
  const { suggest, interrupted: signal } = shell;
  const erased = await eraseRecords(board, { ...subject, ...order, suggest, signal });
  const { instance } = place;
  const unfinished = [
    ...(await removeKept(shell, instance, "gateway", kept.bodies)),
    ...(await removeKept(shell, instance, "recorder", kept.outputs)),
  ];
  const { erased: gone, staying } = await eraseCommits(place, subject, shell);
  const rewritten = await rewrite(place, signal);
  if (rewritten === "failed")
    unfinished.push("Redis could not write its file anew: `sett logs redis` may show why.");
  const isRewritten = rewritten === "rewritten";
  return { subject, erased, kept, commits: gone.length, staying, isRewritten, unfinished };
}

async function eraseCommits(
  { workspace = "", instance }: Place,
  { commits }: Subject,
  shell: Shell,
): Promise<ErasedCommits> {
  if (commits.length === 0) return { erased: [], staying: [] };
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository =
    workspace === ""
      ? undefined
      : await HostRepository.open(workspace, gitOf(shell)).catch(() => undefined);
  if (repository !== undefined) return await repository.eraseCommits(instance, commits);
  const by = ["a repository that is not here"];
  return { erased: [], staying: commits.map(({ commit }) => ({ commit, by })) };
}

/** The words of an artefact may be in several places under one digest. */
function keptOf({ kept, quotes }: Subject, { withQuotes }: EraseOrder): Kept {
  const all = [kept, ...(withQuotes ? quotes.map((quote) => quote.kept) : [])];
  const outputs = all.flatMap((one) => one.outputs);
  return {
    bodies: [...new Set(all.flatMap(({ bodies }) => bodies))],
    outputs: [...new Map(outputs.map((body) => [body.digest, body])).values()],
  };
}

const what = { gateway: "The bodies of calls of models", recorder: "What commands have printed" };
const arguments_ = { gateway: "--remove-bodies", recorder: "--remove-outputs" };

/** Returns why it is not done, if so. */
async function removeKept(
  shell: Shell,
  instance: InstanceName,
  service: "gateway" | "recorder",
  items: readonly unknown[],
): Promise<string[]> {
  const running = items.length === 0 ? undefined : await askService(shell, instance, service);
  if (running === undefined) return [];
  if (!isServing(running.part))
    return [`${what[service]} are there: the ${service} of ${instance} does not run.`];
  const { exitCode, stderr } = await running.ask(arguments_[service], items);
  return exitCode === 0 ? [] : [`${what[service]} are there: ${stderr.trim()}`];
}

async function rewrite(place: Place, signal: AbortSignal) {
  if ("api" in place) throw new SettError("usage", "It is done where the instance runs.");
  const { rewriteFiles } = await import("../../../lib/blackboard/redis/rewrite-files.ts");
  const { ownerUrl, redisUrl, instance } = place;
  return await rewriteFiles({
    ...{ url: ownerUrl ?? redisUrl, probeKey: keysOf(instance).probe, signal },
  });
}
