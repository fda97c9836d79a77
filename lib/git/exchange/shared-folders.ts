// Which folders of store and exchange a program of the instance needs, and how far.
import { join } from "node:path";
import type { Reader, SharedFolder } from "./port.ts";

const [objects, exchange] = ["/git/objects", "/git/exchange"];

/**
 * Every agent reads what the host shows and what others have published, and none can write into
 * another's folder. The API adds to what the host shows.
 */
export function sharedFolders(
  { objectsDir, exchangeDir }: { objectsDir: string; exchangeDir: string },
  reader: Reader,
): SharedFolder[] {
  // The API has the repository around it with the paths of this machine.
  if (reader.role === "api") return [{ path: objectsDir, target: objectsDir, access: "rw" }];
  const all: SharedFolder[] = [
    { path: objectsDir, target: objects, access: "ro", variable: "SETT_OBJECTS_DIR" },
    { path: exchangeDir, target: exchange, access: "ro", variable: "SETT_EXCHANGE_DIR" },
  ];
  if (!reader.isWriter) return all;
  const own = { path: join(exchangeDir, reader.name), target: join(exchange, reader.name) };
  return [...all, { ...own, access: "rw" }];
}
