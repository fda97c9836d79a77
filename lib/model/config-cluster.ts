// What sett.yml says for a Kubernetes cluster (docs/guides/kubernetes.md).
import { z } from "zod";

/** A label of DNS, as names of namespaces are. */
const Name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, {
  error: "must be small letters, digits and `-`, 63 at most, as Kubernetes wants names",
});

export const ImagesFile = z.strictObject({
  push: z
    .string()
    .regex(/^[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)*$/, {
      error: "must be a registry, with a path or without: `registry.example.org/team`",
    })
    .optional()
    .describe(
      "The registry, with a path or without, to which `sett up --runtime kubernetes` pushes the images. Each gets the cub as its last layer, and runs by its digest.",
    ),
});

export const KubernetesFile = z.strictObject({
  namespace: Name.optional().describe(
    "The namespace. Default: one of the instance's own, `sett-NAME`, which `sett up` makes.",
  ),
  pull_secret: z
    .string()
    .min(1)
    .optional()
    .describe("The Secret of the namespace with which nodes pull the images."),
  runtime_class: z
    .string()
    .min(1)
    .optional()
    .describe("The RuntimeClass of agents' pods, such as `gvisor`."),
  node_selector: z
    .record(z.string(), z.string())
    .optional()
    .describe("The labels of the nodes on which pods may run."),
  accept_open_network: z
    .literal(true)
    .optional()
    .describe(
      "Agents work also where no network plug-in of the cluster enforces policies, so that their commands reach all that other pods reach. It is on record.",
    ),
});
