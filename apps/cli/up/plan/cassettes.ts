// The folder of `--record` and `--replay`: recorded calls of models.
import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { changeOwner } from "../../../../lib/git/run/change-owner.ts";
import type { RepositoryPlace } from "../../../../lib/git/run/find-repository.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { Cassettes } from "../../services/input.ts";

type Options = { record?: string | undefined; replay?: string | undefined };

/** Reads the options, before the folder is looked at. Throws `usage`. */
export function readCassettes({ record, replay }: Options, cwd: string): Cassettes | undefined {
  if (record !== undefined && replay !== undefined) {
    throw new SettError("usage", "--record and --replay cannot be used together.", {
      hint: "Record first: `sett up --record DIR`. Then `sett up --replay DIR` needs no key and no network.",
    });
  }
  const mode = record === undefined ? "replay" : "record";
  const folder = record ?? replay;
  return folder === undefined ? undefined : { mode, folder: resolve(cwd, folder) };
}

/**
 * The same, with the folder's real path. Makes the folder for a record; it belongs to the
 * repository's owner, as whom the gateway writes. Throws `usage` where there is nothing to replay,
 * and where sett.yml has no models.
 */
export async function prepareCassettes(
  cassettes: Cassettes | undefined,
  hasModels: boolean,
  { containerUser }: Pick<RepositoryPlace, "containerUser">,
): Promise<Cassettes | undefined> {
  if (cassettes === undefined) return undefined;
  const { mode, folder } = cassettes;
  if (!hasModels) {
    throw new SettError(
      "usage",
      `--${mode} is for calls of models, and sett.yml has no \`models\`.`,
      {
        hint: "Leave it out, or write `models` into sett.yml.",
      },
    );
  }
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw new SettError("usage", `--${mode} needs a folder, and ${folder} is a file.`, {
      hint: "Name a folder.",
    });
  }
  if (mode === "record") {
    const made = await mkdir(folder, { recursive: true });
    if (made !== undefined) await changeOwner(containerUser, folder);
    return { mode, folder: await realpath(folder) };
  }
  const isEmpty = found === undefined || (await readdir(folder)).length === 0;
  if (!isEmpty) return { mode, folder: await realpath(folder) };
  throw new SettError(
    "usage",
    `There is nothing to replay: ${folder} ${found === undefined ? "does not exist" : "is empty"}.`,
    {
      hint: `Record calls first, with the keys of the models: sett up --record ${folder}`,
    },
  );
}

export function cassettesNote({ mode, folder }: Cassettes): string {
  return mode === "record"
    ? `Every exchange with a model is written into ${folder}, until the next \`sett up\` without --record.`
    : `Calls of models are answered from ${folder}: a replay, until the next \`sett up\` without --replay. No provider is called.`;
}
