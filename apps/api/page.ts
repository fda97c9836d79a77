// Serves the page: the files that this program carries, as .ci/page.ts has packed them.
import { readPagePack, type ServedFile } from "../../lib/service/page-pack.ts";

/**
 * Everything comes from this server; scripts and styles only from files; no other page may show
 * this one in a frame.
 */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");
const forEver = "public, max-age=31536000, immutable";

/** `pack`: the text of the file `pagePackName`. Undefined for what is no file of the page. */
export function pageOf(pack: string): (request: Request) => Promise<Response | undefined> {
  const files = readPagePack(pack);
  return async (request) => {
    const file = files.get(new URL(request.url).pathname);
    return file === undefined ? undefined : answer(file, request);
  };
}

function answer(file: ServedFile, { headers: wanted }: Request): Response {
  const acceptsBrotli = (wanted.get("accept-encoding") ?? "")
    .split(",")
    .some((name) => name.trim().startsWith("br"));
  const etag = acceptsBrotli ? file.etag.replace(/"$/, '-br"') : file.etag;
  const headers = new Headers({
    "content-type": file.contentType,
    "content-security-policy": policy,
    // The page itself names its files by their hashes: it is asked for each time.
    "cache-control": file.isHashed ? forEver : "no-cache",
    etag,
    vary: "accept-encoding",
  });
  if (wanted.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  if (!acceptsBrotli) return new Response(file.plain().slice(), { headers });
  headers.set("content-encoding", "br");
  return new Response(file.brotli.slice(), { headers });
}
