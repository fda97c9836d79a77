// Finds agents for whose processes sett.yml asks for more open files than the Engine may have.

import type { SettConfig } from "../../../../lib/model/config.ts";
import { defaultFiles } from "../../../../lib/model/config-resources.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import type { Engine } from "../../../../lib/runtime/port.ts";
import type { Finding } from "./beyond-engine.ts";

/** Each Engine gives the default: only more than that is tried, the largest number first. */
export async function tooManyFiles(
  { agents }: { agents: readonly Pick<SettConfig["agents"][number], "name" | "resources">[] },
  engine: Pick<Engine, "opensFiles">,
  labels: PartLabels,
): Promise<Finding[]> {
  const counts = new Set(agents.map(({ resources }) => resources.limits.files));
  const refused = new Set<number>();
  for (const files of [...counts].sort((a, b) => b - a)) {
    if (files <= defaultFiles || (await engine.opensFiles(files, labels))) break;
    refused.add(files);
  }
  return agents.flatMap(({ name, resources: { limits } }) =>
    refused.has(limits.files)
      ? [
          {
            path: ["agents", name, "resources", "limits", "files"],
            sentence: `is ${limits.files}, and the Docker Engine may not give a process so many: lower it, or raise the Engine's own limit (\`LimitNOFILE\` of docker.service)`,
          },
        ]
      : [],
  );
}
