// An image of another architecture than the nodes' would say so by `exec format error` alone.
import { SettError } from "../../model/errors.ts";
import { isForbidden } from "./apply.ts";
import type { KubeClient } from "./client.ts";
import { Nodes } from "./room.ts";

type Built = { tag: string; architecture: string };

/**
 * Throws `config-invalid` where a node that may get it cannot run one of the images. Without the
 * right to list nodes nothing is known of them, and nothing refused.
 */
export async function requireArchitecture(
  client: Pick<KubeClient, "list">,
  images: readonly Built[],
  nodeSelector: Readonly<Record<string, string>> = {},
): Promise<void> {
  const selector = Object.entries(nodeSelector).map(([name, value]) => `${name}=${value}`);
  const list = await client.list("Node", "", selector.join(",")).catch((error: unknown) => {
    if (isForbidden(error)) return {};
    throw error;
  });
  const all = Nodes.parse(list).items.filter(({ spec }) => !spec.unschedulable);
  const there = [...new Set(all.map(({ status }) => status.nodeInfo.architecture))].toSorted();
  const other = images.find(({ architecture }) => there.some((one) => one !== architecture));
  if (other === undefined) return;
  const { tag, architecture } = other;
  throw new SettError(
    "config-invalid",
    `The image ${tag} is for ${architecture}, and nodes of the cluster are ${there.join(" and ")}.`,
    {
      hint: there.includes(architecture)
        ? `Name the nodes that can run it, in sett.yml: \`kubernetes: { node_selector: { kubernetes.io/arch: ${architecture} } }\``
        : `Run \`sett up\` with a Docker Engine of a machine of ${there.join(" or ")}, and name images that are for it.`,
    },
  );
}
