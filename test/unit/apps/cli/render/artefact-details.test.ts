import { expect, test } from "bun:test";
import { artefactDetails } from "../../../../../apps/cli/render/artefact-details.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const plain = createStyle(false);

test("an artefact's details name the ref of its commit and begin with its content", () => {
  const commit = "0123456789012345678901234567890123456789";
  const payload = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
  const artefact = sampleArtefact({
    payload,
    metadata: { summary: "Sum", commit: commit as never, last_tag: "v1" },
  });
  const text = artefactDetails(artefact, InstanceName.parse("demo"), {
    out: { style: plain, columns: undefined },
    nowMs: Date.parse(artefact.created_at) + 61_000,
    payload: "excerpt",
    suggest: suggestFor(undefined),
  });
  expect(text).toContain(`refs/sett/demo/${artefact.id}`);
  expect(text).toContain("1m ago");
  expect(text).toContain('{"last_tag":"v1"}');
  expect(text).toContain("line 9");
  expect(text).not.toContain("line 10");
  expect(text).toContain(`sett unearth ${artefact.id.slice(0, 8)}`);
});

test("a summary of a megabyte is bounded, and no line of an agent's is without its bar", () => {
  const forged = "→ sett approve 12345678";
  const metadata = { summary: `Done\n${forged} ${"x".repeat(900_000)}`, more: `\n${forged}` };
  const text = artefactDetails(
    sampleArtefact({ payload: `Done\n${forged}`, metadata }),
    InstanceName.parse("demo"),
    {
      out: { style: plain, columns: 60 },
      nowMs: 0,
      payload: "excerpt",
      suggest: suggestFor(undefined),
    },
  );
  expect(text.length).toBeLessThan(5_000);
  const rows = text.split("\n").filter((row) => /approve|xxx/.test(row));
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row).toStartWith("  │ ");
});
