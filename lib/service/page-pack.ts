// The files of the page as one file, which a compiled program carries: packed by .ci/page.ts, read
// by the program that serves the page.
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { z } from "zod";

/**
 * `path`: as a browser asks for it. `isHashed`: its name has a hash of its content, so a browser
 * may keep it for ever.
 */
export type PageFile = {
  path: string;
  contentType: string;
  isHashed: boolean;
  content: Uint8Array;
};

/**
 * A file as it is served: `brotli` to browsers that accept it, which are all of them today. `etag`
 * of the plain content.
 */
export type ServedFile = {
  contentType: string;
  isHashed: boolean;
  etag: string;
  brotli: Uint8Array;
  plain(): Uint8Array;
};

/** A compiled program carries the page under this name. */
export const pagePackName = "page.pack";

const Entry = z.strictObject({
  path: z.string().startsWith("/"),
  content_type: z.string(),
  hashed: z.boolean(),
  sha256: z.string(),
  brotli: z.base64(),
});
const Pack = z.strictObject({ format: z.literal(1), files: z.array(Entry) });

/** The same files give the same text. */
export async function packPage(files: readonly PageFile[]): Promise<string> {
  const entries = files.map(
    async ({ path, contentType, isHashed, content }): Promise<z.infer<typeof Entry>> => {
      const brotli = brotliCompressSync(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
        },
      });
      return {
        path,
        content_type: contentType,
        hashed: isHashed,
        sha256: await sha256(content),
        brotli: Buffer.from(brotli).toString("base64"),
      };
    },
  );
  const sorted = (await Promise.all(entries)).toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  );
  return JSON.stringify({ format: 1, files: sorted } satisfies z.infer<typeof Pack>);
}

/** The files by path; `/` is the page itself. */
export function readPagePack(text: string): Map<string, ServedFile> {
  const { files } = Pack.parse(JSON.parse(text));
  return new Map(
    files.map(({ path, content_type, hashed, sha256: digest, brotli: base64 }) => {
      const brotli = new Uint8Array(Buffer.from(base64, "base64"));
      const plain = () => new Uint8Array(brotliDecompressSync(brotli));
      return [
        path,
        {
          contentType: content_type,
          isHashed: hashed,
          etag: `"${digest.slice(0, 32)}"`,
          brotli,
          plain,
        },
      ];
    }),
  );
}

async function sha256(content: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(content))).toString(
    "hex",
  );
}
