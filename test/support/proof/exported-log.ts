// The log of an instance as an auditor gets it, with a key of its own.
import { Buffer } from "node:buffer";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { verifierKeyText } from "../../../lib/proof/note.ts";
import type { Sett } from "../cli/sett.ts";
import { pack } from "./archive.ts";
import { type Event, makeBundle, newKey } from "./bundle.ts";

/** Writes the bundle into the folder. `change`: of the events, before they are sealed. */
export async function exportedLog(
  { instance, board }: Sett,
  folder: string,
  change = (events: Event[]) => events,
): Promise<{ file: string; key: string }> {
  const key = newKey(`${instance}.sett.invalid`);
  const raw = await board.readRawEvents("0", 1_000);
  const events = change(raw.map(({ place, type, event }) => ({ place, type, event })));
  const content: Record<string, string> = {};
  for (const { type, event } of events) {
    const { artefact_id: id } = JSON.parse(event);
    if (type !== "artefact_created") continue;
    const record = await board.readRecord(id);
    if (record !== undefined)
      content[`artefacts/${id}.json`] = Buffer.from(record, "base64").toString();
  }
  const facts = new Set(
    events.flatMap(({ event }) => {
      const { data: { registry, policy, paths } = {} } = JSON.parse(event) as {
        data?: Record<string, string>;
      };
      return [registry, policy, paths].filter((one) => one !== undefined);
    }),
  );
  const known = await board.readFacts([...facts] as never);
  for (const [digest, text] of known) content[`facts/${digest}`] = text;
  const file = join(folder, `${instance}.tar`);
  await writeFile(file, pack(await makeBundle(key, events, { content })));
  return { file, key: verifierKeyText(key.verifier) };
}
