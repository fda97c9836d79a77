// Whether a refusal of a model's server says that the conversation is too long for the model.
// Servers have no common sign for it: some send a code, and others only words.

const codes = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
  "request_too_large",
]);

/** These are the words of providers and servers that are in use. */
const words = [
  /context[ _](?:length|size|window|limit)/i,
  /context the overflows/i,
  /(?:prompt|input|request|messages?) (?:is |are )?too (?:long|large)/i,
  /(?:prompt|input|request) exceeds (?:the )?max(?:imum)? (?:length|size)/i,
  /input token count .*exceeds/i,
  /maximum (?:prompt|model|allowed input|input) length/i,
  /prompt token count .* exceeds the limit/i,
  /range of input length should be/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /too many (?:input )?tokens/i,
  /(?:exceeded model token limit|token limit exceeded)/i,
  /too large for model/i,
];

/** A request that is too large for the minute is so at any time, but one too many is not. */
const rate = /rate limit|too many requests|throttl|please wait|per day|quota/i;

/** `said`: the server's sentence, or all that it has sent. `code`, `type`: of its error. */
export function saysTooLong(
  status: number,
  { said = "", code, type }: { said?: string | undefined; code?: unknown; type?: unknown },
): boolean {
  if ([code, type].some((one) => typeof one === "string" && codes.has(one))) return true;
  if (status === 413 && said === "") return true;
  // A key or an account that is refused may be called anything.
  if ([401, 402, 403, 404].includes(status) || rate.test(said)) return false;
  return words.some((pattern) => pattern.test(said));
}
