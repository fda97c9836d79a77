// The settings of the lane's worker, from its environment.
import { z } from "zod";
import { CommitHash } from "../../../lib/model/ids.ts";
import { LaneSettings } from "../../../lib/model/lane.ts";
import {
  DurationText,
  jsonText,
  NonEmpty,
  readEnvironment,
} from "../../../lib/service/environment.ts";

const WorkEnvironment = z.object({
  SETT_LANE: jsonText(LaneSettings, '{"name":"main","method":"merge","gates":[]}'),
  /** Empty: the lane has not begun. */
  SETT_LANE_TIP: z.union([CommitHash, z.literal("")]).default(""),
  SETT_WORK_TIMEOUT: DurationText.default(300_000),
  SETT_GIT_BINARY: NonEmpty.default("git"),
  SETT_GIT_LIBRARY_PATH: NonEmpty.optional(),
});

export type LaneWork = ReturnType<typeof readLaneWork>;

/** Throws `environment-invalid`. */
export function readLaneWork(environment: Record<string, string | undefined>) {
  const read = readEnvironment(WorkEnvironment, environment);
  return {
    lane: read.SETT_LANE,
    tip: read.SETT_LANE_TIP,
    timeoutMs: read.SETT_WORK_TIMEOUT,
    git: { path: read.SETT_GIT_BINARY, libraryPath: read.SETT_GIT_LIBRARY_PATH },
  };
}
