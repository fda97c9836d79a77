// What commands that only look at the past ask a blackboard: an archive can answer that, too.
import type { Blackboard } from "../../../lib/blackboard/port.ts";

export type ReadingBoard = Pick<
  Blackboard,
  | "instance"
  | "time"
  | "readArtefact"
  | "readArtefacts"
  | "readHeads"
  | "findArtefacts"
  | "readGoal"
  | "listGoals"
  | "countGoals"
  | "listArtefactsOfGoal"
  | "claimsOfArtefact"
  | "readClaims"
  | "readEvents"
  | "endOfEvents"
>;
