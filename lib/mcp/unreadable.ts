// The answer to a line of a client that is no message, which the library of the protocol passes over in silence: the client would wait for ever.

/** Of JSON-RPC. */
const parseError = -32_700;
const invalidRequest = -32_600;

type Answer = { jsonrpc: "2.0"; id: null; error: { code: number; message: string } };

/** `error`: of the transport. Undefined where it is about something else than a line. */
export function answerToUnreadable(error: Error): Answer | undefined {
  if (error instanceof SyntaxError) return answer(parseError, "Parse error: the line is no JSON.");
  // Of its own copy of zod.
  if (/^\$?ZodError$/.test(error.name)) return answer(invalidRequest, "Invalid Request: the line is no message of JSON-RPC 2.0.");
  return undefined;
}

function answer(code: number, message: string): Answer {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
