// Artefacts and goals in Redis.
import { Buffer } from "node:buffer";
import { RESP_TYPES } from "redis";
import { ArchivedGoal } from "../../model/archived-goal.ts";
import type { Artefact } from "../../model/artefact.ts";
import { type ArtefactId, CommitHash } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import { KeptOutput } from "../../model/kept-output.ts";
import { LaneName } from "../../model/lane.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ArtefactBoard, GoalEnding } from "../port/artefacts.ts";
import {
  type ArtefactFieldName,
  type ArtefactFields,
  artefactFieldNames,
} from "../records/artefact-field-names.ts";
import {
  artefactOfFields,
  commitFieldNames,
  deliveredCommit,
  digestOfContent,
} from "../records/artefact-fields.ts";
import {
  digestOfRecord,
  recordOfBytes,
  recordOfFields,
  saltField,
} from "../records/artefact-record.ts";
import { adoptArtefact } from "./adoption.ts";
import { readContextOf } from "./context.ts";
import type { Deps } from "./deps.ts";
import { followChannel } from "./follow.ts";
import { readHeadsOf } from "./heads.ts";
import { artefactIdsOf, listsOf } from "./lists.ts";
import { readOutlineOf } from "./outline.ts";
import { overwrittenOf } from "./overwritten.ts";
import { artefactRecord } from "./records.ts";
import { unlessWrongType } from "./wrong-type.ts";

type StoredName = ArtefactFieldName | typeof saltField;

function outputOfText(text: string): KeptOutput | undefined {
  return KeptOutput.safeParse(parseJson(text)).data;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function artefactsOf(deps: Deps): ArtefactBoard {
  const { connection, keys, call, callOn } = deps;
  const readFields = async (
    ids: readonly ArtefactId[],
    names: readonly StoredName[] = artefactFieldNames,
  ): Promise<Record<string, string>[]> => {
    // Requested at once, these share one round trip.
    const rows = await connection.run((client) =>
      Promise.all(
        ids.map((id) => client.hmGet(keys.artefact(id), [...names]).catch(unlessWrongType([]))),
      ),
    );
    return rows.map((values) => {
      const fields: Record<string, string> = {};
      names.forEach((name, place) => {
        const value = values[place];
        if (typeof value === "string") fields[name] = value;
      });
      return fields;
    });
  };
  const readArtefacts = async (ids: readonly ArtefactId[]): Promise<(Artefact | undefined)[]> =>
    (await readFields(ids)).map((fields, index) =>
      artefactOfFields(fields, keys.artefact(ids[index] ?? "")),
    );
  const readWhole = async (ids: readonly ArtefactId[]): Promise<Artefact[]> =>
    (await readArtefacts(ids)).filter((artefact): artefact is Artefact => artefact !== undefined);
  return {
    createArtefact: (artefact, actor) =>
      call("createArtefact", {}, { artefact: artefactRecord(artefact), actor }),

    adoptArtefact: (id, epoch) => adoptArtefact(deps, id, epoch),
    artefactHints: (signal) => followChannel(connection, keys.artefactChannel, signal),

    async readArtefact(id) {
      return (await readArtefacts([id]))[0];
    },

    async readWithDigest(id) {
      const [fields = {}] = await readFields([id], [...artefactFieldNames, saltField]);
      const artefact = artefactOfFields(fields, keys.artefact(id));
      if (artefact === undefined) return undefined;
      const { salt } = fields;
      const whole = fields as ArtefactFields;
      const sha256 = salt === undefined ? undefined : digestOfRecord(recordOfFields(salt, whole));
      return { artefact, digest: digestOfContent(fields), ...withoutUndefined({ sha256 }) };
    },

    async readRecord(id) {
      const [erased, salt, ...values] = await connection.run((client) =>
        client
          .withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
          .hmGet(keys.artefact(id), ["erased", saltField, ...artefactFieldNames])
          .catch(unlessWrongType([])),
      );
      const fields = Object.fromEntries(
        values.flatMap((value, place) =>
          value === null ? [] : [[artefactFieldNames[place] ?? "", value]],
        ),
      ) as Record<ArtefactFieldName, Buffer>;
      if (erased || Object.keys(fields).length < artefactFieldNames.length) return undefined;
      return recordOfBytes(salt?.toString() ?? "", fields).toString("base64");
    },

    async readOutput(id) {
      const text = await connection.run((client) =>
        client.hGet(keys.artefact(id), "output").catch(unlessWrongType(null)),
      );
      if (text === null) return undefined;
      // A person may have written the record by hand.
      return outputOfText(text);
    },

    readArtefacts: readWhole,

    readHeads: readHeadsOf(deps),
    findOverwritten: overwrittenOf(deps),
    readContext: readContextOf(deps, readWhole),
    readOutline: readOutlineOf(deps),

    async readThread(thread) {
      return artefactIdsOf(
        await connection.run((client) => client.zRange(keys.thread(thread), 0, -1)),
      );
    },

    ...listsOf(deps),

    async listCommits() {
      const ids = artefactIdsOf(
        await connection.run((client) => client.zRange(keys.artefactsWithCommit, 0, -1)),
      );
      const rows = await readFields(ids, commitFieldNames);
      return ids.flatMap((artefact, index) => {
        const commit = deliveredCommit(rows[index] ?? {});
        return commit === undefined ? [] : [{ artefact, ...commit }];
      });
    },

    async readLane(lane) {
      const tip = await connection.run((client) => client.hGet(keys.lanes, lane));
      return CommitHash.safeParse(tip).data;
    },

    async listLanes() {
      const tips = await connection.run((client) => client.hGetAll(keys.lanes));
      return Object.entries(tips).flatMap(([name, tip]) => {
        const [lane, commit] = [LaneName.safeParse(name), CommitHash.safeParse(tip)];
        return lane.success && commit.success ? [{ lane: lane.data, commit: commit.data }] : [];
      });
    },

    async readGoal(goal) {
      const [fields, artefacts] = await connection.run((client) =>
        Promise.all([
          client
            .hmGet(keys.goal(goal), ["ended", "archived", "trigger", "payer", "issue", "comment"])
            .catch(unlessWrongType(undefined)),
          client.zCard(keys.artefactsOfGoal(goal)).catch(unlessWrongType(undefined)),
        ]),
      );
      const isMalformed = fields === undefined || artefacts === undefined;
      const [ended, archived, trigger, payer, issue, comment] = fields ?? [];
      return {
        ...(isMalformed && { isMalformed: true as const }),
        ...{ ended: endingOf(ended), artefacts: artefacts ?? 0 },
        archived: ArchivedGoal.safeParse(parseJson(archived)).data,
        ...{ trigger: trigger ?? undefined, payer: payer ?? undefined },
        ...{ issue: issue ?? undefined, comment: comment ?? undefined },
      };
    },

    endGoal({ goal, ending, by = "", failure, epoch, readOn }) {
      const stored = {
        orchestrator: keys.orchestrator,
        goal: keys.goal(goal),
        open_questions: keys.openQuestions,
      };
      return callOn(readOn)("endGoal", stored, {
        epoch,
        goal,
        ending,
        by,
        failure: failure && artefactRecord(failure),
      });
    },
  };
}

function endingOf(text: string | null | undefined): GoalEnding | undefined {
  return text === "cancelled" || text === "artefact_limit" ? text : undefined;
}
