// What `sett prune` calls its file where nobody says otherwise. It may well lie in the repository.
import type { InstanceName } from "../../../lib/model/ids.ts";

export function archiveName(instance: InstanceName, createdAt: string): string {
  return `sett-${instance}-${createdAt.replaceAll(/[-:]|\.\d+/g, "")}.jsonl`;
}

export function isArchiveName(path: string): boolean {
  return /(^|\/)sett-[^/]+-\d{8}T\d{6}Z\.jsonl$/.test(path);
}
