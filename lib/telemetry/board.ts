// The part of the blackboard's port that telemetry has: it reads, and writes nothing.
import type { Blackboard } from "../blackboard/port/blackboard.ts";

export type TelemetryBoard = Pick<
  Blackboard,
  | "instance"
  | "time"
  | "readMemory"
  | "readLeader"
  | "readPause"
  | "readClaims"
  | "listOpenClaims"
  | "countOpenClaims"
  | "listOpenQuestions"
  | "readHeads"
  | "countGoals"
  | "countArtefacts"
  | "listGoals"
  | "listAgents"
  | "listStatuses"
  | "readGoal"
  | "listArtefactsOfGoal"
  | "claimsOfArtefact"
  | "readEvents"
  | "countEvents"
  | "followEvents"
  | "endOfEvents"
>;
