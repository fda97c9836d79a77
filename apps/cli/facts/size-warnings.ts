// Warns of an agent whose disk is too small for the files with which its work begins.
import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import type { ConfigProblem } from "../../../lib/config/problems.ts";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { sizeText } from "../../../lib/model/size-text.ts";

/** By the files of HEAD, which the next goal begins with. */
export async function sizeWarnings(
  { agents }: Pick<SettConfig, "agents">,
  repository: Pick<HostRepository, "head" | "sizeOf">,
  problemAt: ProblemAt,
): Promise<ConfigProblem[]> {
  const head = await repository.head();
  const whole = (await repository.sizeOf(head)) ?? 0;
  const problems: ConfigProblem[] = [];
  for (const { name, workspace, resources } of agents) {
    const { disk_bytes: limit } = resources.limits;
    if (whole <= limit) continue;
    const { paths } = workspace;
    const size = paths ? await repository.sizeOf(head, new SparsePaths(paths)) : whole;
    if (size === undefined || size <= limit) continue;
    const sentence = `is ${sizeText(limit)}, and the files of HEAD take ${sizeText(size)}: in a container the agent cannot begin with them`;
    problems.push(problemAt(["agents", name, "resources", "limits", "disk"], sentence));
  }
  return problems;
}
