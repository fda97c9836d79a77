// Reads all that a look at a grant begins with: the grant, its inputs, its image and its cage.
import { dirname, resolve } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ExaminationOrder } from "../../../lib/model/examination.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { gitOf } from "../instance/packs-place.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import type { Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { examinationHost } from "./examination-host.ts";
import type { How } from "./examination-plan.ts";
import { type ExaminedGrant, findGrant } from "./find-grant.ts";
import { type Examined, type Place, readConfigOf } from "./open-examination.ts";
import { readExaminationOrder } from "./read-order.ts";

type Wanted = {
  grant: string;
  agent: string | undefined;
  file: string | undefined;
  image: string | undefined;
  secrets: boolean;
};

export type Prepared = {
  place: Place;
  found: ExaminedGrant;
  examined: Examined;
};

/**
 * Says what a person should know of it beforehand. Throws as each of its parts; `git-failed` where
 * a commit is not to be had.
 */
export async function prepareExamination(
  session: Session,
  { grant, agent: named, file, image: wanted, secrets }: Wanted,
  how: How,
  shell: Shell,
): Promise<Prepared> {
  const { board, place } = session;
  const { suggest, messages } = shell;
  const runtime = await runtimeOf(shell, place.instance);
  const parts = await runtime.observe.parts(place.instance);
  const host = await examinationHost(runtime, parts, shell);
  const found = await findGrant(board, { grant, agent: named }, suggest);
  const order = await readExaminationOrder(board, found, shell);
  const read = await readConfigOf(order, file, shell);
  const folder = place.workspace || dirname(resolve(shell.cwd, read.file));
  const repository = await HostRepository.open(folder, gitOf(shell));
  const fitted = await host.fit(read);
  const agent = requireAgent(fitted.config, order, read.file);
  const commits = [order.base, order.recorded].filter((one) => one !== undefined);
  if (agent.workspace.mode !== "none" && commits.length > 0) {
    await fetchResults(shell, place.workspace, () => readResults(board), "count");
    await requireCommits(repository, commits);
    await repository.exchange(place.instance).show(commits);
  }
  const { grant: of } = found;
  const image = await host.imageOf(board, {
    ...{ agent: of.agent, startedAt: of.started_at, wanted },
  });
  if (!image.isRecorded) messages.note("The image is another one than that of the grant.");
  const { result } = found;
  const isOlder =
    result !== undefined &&
    "artefact_ids" in of &&
    !of.artefact_ids.includes(result.id) &&
    result.structural_type === "Failure";
  if (isOlder)
    messages.note(
      `${shortId(result.id)} is of an earlier attempt: the inputs are those of attempt ${of.attempt}.`,
    );
  if (agent.secrets.length > 0 && !secrets)
    messages.note("The secrets of the agent are not there: --secrets brings them.");
  const examined = { ...fitted, order, image, agent, how, withSecrets: secrets };
  return { place: { runtime: host.runtime, parts, repository, shell }, found, examined };
}

/** Throws `usage` where sett.yml does not have the agent. */
function requireAgent(
  { agents }: SettConfig,
  { registration: { name } }: ExaminationOrder,
  file: string,
): AgentConfig {
  const agent = agents.find((one) => one.name === name);
  if (agent !== undefined) return agent;
  throw new SettError("usage", `${file} has no agent ${name} any more.`, {
    hint: "Its cage is made from there. Name a file that has it: --file FILE",
  });
}

async function requireCommits(repository: HostRepository, commits: readonly CommitHash[]) {
  for (const commit of commits)
    if (!(await repository.hasCommit(commit)))
      throw new SettError(
        "git-failed",
        `Commit ${commit.slice(0, 12)} of the grant is not in this repository any more.`,
        { hint: "A clone that has it, or `sett restore` of a backup, brings it: git fetch CLONE" },
      );
}
