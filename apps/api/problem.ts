// Problem details (RFC 9457) with the sentences of the command line.
import { HTTPException } from "hono/http-exception";
import { messageOf, SettError, type SettErrorCode } from "../../lib/model/errors.ts";
import { hintOverHttp } from "./over-http.ts";

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  hint?: string | undefined;
  code: string;
};

type Kind = { status: ProblemStatus; title: string };
export type ProblemStatus =
  | 400
  | 401
  | 403
  | 404
  | 408
  | 409
  | 413
  | 415
  | 421
  | 422
  | 429
  | 500
  | 503;

const wrongUse: Kind = { status: 422, title: "The request is wrong" };
const unknown: Kind = { status: 404, title: "There is no such thing" };
const conflict: Kind = { status: 409, title: "The instance refuses this" };
const away: Kind = { status: 503, title: "A part of the instance does not answer" };
const broken: Kind = { status: 500, title: "Something has failed" };

/** Codes of the command line that no request of the API can meet are failures of the program. */
const kinds: Partial<Record<SettErrorCode, Kind>> = {
  "agent-not-found": unknown,
  "artefact-ambiguous": wrongUse,
  "artefact-malformed": conflict,
  "artefact-not-found": unknown,
  "blackboard-refused": conflict,
  "command-failed": away,
  "context-too-large": conflict,
  "docker-failed": away,
  "drawing-failed": conflict,
  "docker-unreachable": away,
  "git-failed": conflict,
  "goal-invalid": wrongUse,
  "instance-not-found": unknown,
  "not-allowed": { status: 403, title: "The token may not do this" },
  "not-authenticated": { status: 401, title: "It is not known who asks" },
  "not-found": unknown,
  "not-ready": away,
  "redis-unreachable": away,
  "repository-unusable": conflict,
  "request-refused": conflict,
  "too-large": { status: 413, title: "The request is too large" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  "too-slow": { status: 408, title: "The request came too slowly" },
  usage: wrongUse,
  "workspace-dirty": conflict,
  "wrong-host": { status: 421, title: "The request is for another host" },
  "wrong-media-type": { status: 415, title: "The body is no JSON" },
};

/** Hono refuses a body that is no JSON by an error of its own. */
export function kindOf(error: unknown): Kind {
  if (error instanceof HTTPException) return wrongUse;
  return (error instanceof SettError ? kinds[error.code] : undefined) ?? broken;
}

/**
 * An error that is no SettError is a mistake of the program: its message stays in the log.
 * `isCommandLine`: it asks, and prints the hint to a person.
 */
export function problemOf(error: unknown, { isCommandLine = false } = {}): Problem {
  const { status, title } = kindOf(error);
  const isExpected = error instanceof SettError;
  const code = isExpected ? error.code : "internal";
  const detail = isExpected ? messageOf(error) : "The API has failed. Its log says why.";
  const own = isExpected ? error.hint : undefined;
  const hint = own === undefined || isCommandLine ? own : hintOverHttp(own);
  return {
    type: `https://sett.dev/problems/${code}`,
    title,
    status,
    detail,
    ...(hint !== undefined && { hint }),
    code,
  };
}

export function problemResponse(
  error: unknown,
  headers: Record<string, string> = {},
  asker: { isCommandLine?: boolean } = {},
): Response {
  const problem = problemOf(error, asker);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...headers,
    },
  });
}
