// The default name of the file of `sett prune`. The file may be in the repository.
import type { InstanceName } from "../model/ids.ts";

export function archiveName(instance: InstanceName, createdAt: string): string {
  return `sett-${instance}-${createdAt.replaceAll(/[-:]|\.\d+/g, "")}.jsonl`;
}

export function isArchiveName(path: string): boolean {
  return /(^|\/)sett-[^/]+-\d{8}T\d{6}Z\.jsonl$/.test(path);
}
