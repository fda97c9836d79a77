// Writes the manifests of an instance into a folder, with a kustomization that lists them.
import { rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import {
  kustomizationText,
  manifestText,
  type Rendered,
} from "../../../lib/runtime/kubernetes/render.ts";
import { writeFiles } from "../program/write-files.ts";

/** Each file begins with it: others' files stay. */
const header = "# `sett render --kubernetes` has written this, and writes it again.\n";

/**
 * Files of parts that are no longer there go. Returns how many files there are. Throws `usage`
 * where others have files there.
 */
export async function writeManifests(folder: string, files: Rendered["files"]): Promise<number> {
  const names = files.map(({ name }) => name);
  const all = [
    { name: "kustomization", text: kustomizationText(names) },
    ...files.map(({ name, objects }) => ({ name, text: manifestText(objects) })),
  ].map(({ name, text }) => ({ path: `${name}.yaml`, content: `${header}${text}`, mode: 0o644 }));
  const there = await readdir(folder).catch(() => []);
  const own: string[] = [];
  for (const name of there.filter((one) => one.endsWith(".yaml"))) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.startsWith(header)) own.push(name);
    else if (all.some(({ path }) => path === name))
      throw new SettError("usage", `${join(folder, name)} is of others, and would be lost.`, {
        hint: "Name another folder: --to DIR",
      });
  }
  writeFiles(folder, all);
  const gone = own.filter((name) => !all.some(({ path }) => path === name));
  for (const name of gone) rmSync(join(folder, name), { force: true });
  return all.length;
}
