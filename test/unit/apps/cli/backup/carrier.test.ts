import { expect, test } from "bun:test";
import { carrierFor } from "../../../../../apps/cli/backup/carrier.ts";
import { Progress } from "../../../../../apps/cli/terminal/progress.ts";
import { messageOf } from "../../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../../../lib/runtime/port.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";
import { sampleConfig } from "../../../../support/cli/sample-plan.ts";

const instance = InstanceName.parse("demo");
const agents = 'agents: { one: { image: "some/image:1", command: [run] } }\n';

/** The pod's image and place, or why there is none, where an orchestrator of `version` runs. */
async function carrierWith(version: string, text: string) {
  const shell = fakeShell();
  const labels = {
    instance,
    workspace: "",
    version,
    id: "one",
    component: "orchestrator",
  } as const;
  const running = { labels, image: { tag: "team/orchestrator@sha256:abc", id: "" } };
  return await carrierFor({
    ...{ instance, id: "one", shell, progress: new Progress(shell.err) },
    containers: [running as unknown as ContainerPart],
    config: sampleConfig(`version: '1.0'\n${text}${agents}`),
    engine: async () => {
      throw new Error("The Engine is needed.");
    },
  }).catch(messageOf);
}

test("files are carried by the image of the orchestrator that runs, on the nodes of sett.yml, without an Engine", async () => {
  const text = "kubernetes: { pull_secret: regcred, node_selector: { pool: agents } }\n";
  expect(await carrierWith(fakeShell().version, text)).toEqual({
    image: "team/orchestrator@sha256:abc",
    ...{ pullSecret: "regcred", nodeSelector: { pool: "agents" } },
  });
});

test("one of another version cannot carry them: the image is pushed, or sett.yml must say where to", async () => {
  const push = "images: { push: registry.example.org/team }\n";
  expect(await carrierWith("0.0.1", push)).toBe("The Engine is needed.");
  expect(await carrierWith("0.0.1", "")).toContain("whose image has no registry");
});
