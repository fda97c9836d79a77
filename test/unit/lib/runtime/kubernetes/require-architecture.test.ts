import { expect, test } from "bun:test";
import { requireArchitecture } from "../../../../../lib/runtime/kubernetes/require-architecture.ts";

const nodeOf = (architecture: string, name: string) => ({
  metadata: { name },
  status: { allocatable: { cpu: "2", memory: "4Gi" }, nodeInfo: { architecture } },
});

/**
 * A refusal with its hint; undefined where nothing is refused. `labels`: of the nodes that were
 * listed.
 */
async function refusalOf(nodes: readonly string[], images: readonly string[], selector = {}) {
  let labels = "";
  const list = async (_kind: string, _namespace: string, which = "") => {
    labels = which;
    return { items: nodes.map((one, at) => nodeOf(one, `node-${at}`)) };
  };
  const built = images.map((architecture) => ({ tag: `team/${architecture}:1`, architecture }));
  const refused = await requireArchitecture({ list }, built, selector).then(
    () => undefined,
    ({ message, hint }) => `${message} ${hint}`,
  );
  return { refused, labels };
}

test("images for the nodes' architecture are taken, and so are all where the nodes are not known", async () => {
  expect((await refusalOf(["amd64", "amd64"], ["amd64"])).refused).toBeUndefined();
  expect((await refusalOf([], ["arm64"])).refused).toBeUndefined();
});

test("an image for another architecture is refused by its name, with the way out", async () => {
  const { refused } = await refusalOf(["arm64"], ["amd64"]);
  expect(refused).toContain(
    "The image team/amd64:1 is for amd64, and nodes of the cluster are arm64.",
  );
  expect(refused).toContain("a Docker Engine of a machine of arm64");
});

test("where only some nodes can run an image, the label is named that says which", async () => {
  const { refused } = await refusalOf(["arm64", "amd64"], ["amd64"]);
  expect(refused).toContain("nodes of the cluster are amd64 and arm64");
  expect(refused).toContain("node_selector: { kubernetes.io/arch: amd64 }");
  const chosen = await refusalOf(["amd64"], ["amd64"], { "kubernetes.io/arch": "amd64" });
  expect(chosen).toEqual({ refused: undefined, labels: "kubernetes.io/arch=amd64" });
});
