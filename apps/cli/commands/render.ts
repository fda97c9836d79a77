// sett render: prints what `sett up` would make in a cluster, for people who apply it otherwise.
import { SettError } from "../../../lib/model/errors.ts";
import { fileArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";

export const render = defineCommand({
  name: "render",
  description: "print what `sett up` would make in a cluster, as manifests",
  details: [
    "For those who apply manifests by Argo CD, Flux or kubectl. It builds and pushes the images as `sett up` does, and",
    "changes nothing in the cluster. Variables of parts are in Secrets: the manifests name them, and have no value of",
    "them. The same sett.yml and the same cluster give the same manifests.",
  ].join("\n"),
  args: {
    kubernetes: {
      type: "boolean",
      description: "for a Kubernetes cluster (docs/guides/kubernetes.md)",
    },
    to: {
      type: "string",
      valueHint: "DIR",
      description: "write a file for each part, and a kustomization.yaml, into this folder",
    },
    secrets: {
      type: "boolean",
      description:
        "print what the manifests name and do not have: the namespace, Services, and Secrets with their values",
    },
    rbac: {
      type: "boolean",
      description: "print the Role that the person who runs `sett up` needs in the namespace",
    },
    name: {
      ...nameArgument,
      description:
        "the instance (default: the one of this repository, else a new one named after the folder)",
    },
    file: fileArgument,
    context: {
      type: "string",
      valueHint: "CONTEXT",
      description: "the context of the kubeconfig (default: its own)",
    },
    namespace: {
      type: "string",
      valueHint: "NAMESPACE",
      description: "the namespace (default: `kubernetes.namespace`, else `sett-NAME`)",
    },
  },
  examples: [
    "sett render --kubernetes --to ./deploy",
    "sett render --kubernetes | kubectl diff -f -",
    "sett render --kubernetes --secrets | kubectl apply --server-side -f -",
    "sett render --kubernetes --rbac --namespace team-a > role.yaml",
  ],
  isOfThisMachine: true,
  async run(args, shell) {
    if (!args.kubernetes)
      throw new SettError("usage", "sett render prints manifests for a cluster alone.", {
        hint: "sett render --kubernetes",
      });
    const chosen = [args.to !== undefined, args.secrets, args.rbac].filter(Boolean);
    if (chosen.length > 1)
      throw new SettError("usage", "--to, --secrets and --rbac go each without the others.");
    const { printRole, renderManifests } = await import("../up/render-manifests.ts");
    if (args.rbac) await printRole(args, shell);
    else await renderManifests(args, shell);
    return undefined;
  },
});
