// Reads the text of a client: the result is a message for the library of the protocol, or the
// answer. The library passes over text that is no message in silence, and answers wrong params as a
// mistake of its own, with its schema.
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  type RequestId,
  RequestIdSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** These are of JSON-RPC. */
const parseError = -32_700;
const invalidRequest = -32_600;
const invalidParams = -32_602;

export type Refusal = {
  jsonrpc: "2.0";
  id: RequestId | null;
  error: { code: number; message: string };
};

/** The library answers requests of other methods as unknown. */
const requests = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

export function readMessage(text: string): { message: JSONRPCMessage } | { refusal: Refusal } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: refuse(null, parseError, "Parse error: the line is no JSON.") };
  }
  const refusal = messageProblem(value);
  return refusal === undefined ? { message: JSONRPCMessageSchema.parse(value) } : { refusal };
}

/** The answer to a parsed text that is no message, or one with wrong params. */
export function messageProblem(value: unknown): Refusal | undefined {
  const refusal = paramsProblem(value);
  if (refusal !== undefined) return refusal;
  return JSONRPCMessageSchema.safeParse(value).success ? undefined : notAMessage(value);
}

/**
 * Undefined where `value` is no request with an id that the library knows, or its params are right.
 */
function paramsProblem(value: unknown): Refusal | undefined {
  const { jsonrpc, id, method } = Object(value);
  const schema = Object.hasOwn(requests, String(method))
    ? requests[method as keyof typeof requests]
    : undefined;
  const known = RequestIdSchema.safeParse(id);
  if (jsonrpc !== "2.0" || schema === undefined || !known.success) return undefined;
  const checked = schema.safeParse(value);
  const [issue] = checked.error?.issues ?? [];
  if (issue === undefined) return undefined;
  const path = issue.path.map(String);
  const isMissing = path.reduce((at: unknown, key) => Object(at)[key], value) === undefined;
  const wanted = isMissing
    ? "is missing"
    : "expected" in issue
      ? `must be of the type ${issue.expected === "record" ? "object" : issue.expected}`
      : "is not valid";
  return refuse(
    known.data,
    invalidParams,
    `Invalid params of ${method}: \`${path.join(".")}\` ${wanted}.`,
  );
}

export function tooLong(maxMebibytes: number): Refusal {
  return refuse(
    null,
    invalidRequest,
    `Invalid Request: the line is longer than ${maxMebibytes} MiB.`,
  );
}

export const notUtf8 = refuse(null, parseError, "Parse error: the line is no UTF-8.");

function notAMessage(value: unknown): Refusal {
  const id = RequestIdSchema.safeParse(Object(value).id);
  const text = "Invalid Request: this is no message of JSON-RPC 2.0.";
  return refuse(id.success ? id.data : null, invalidRequest, text);
}

function refuse(id: RequestId | null, code: number, message: string): Refusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
