// Environments: a record in Sett, a list of NAME=value in the Engine's API.

export function envRecord(list: string[] | null | undefined): Record<string, string> {
  const entries = (list ?? []).map((entry): [string, string] => {
    const at = entry.indexOf("=");
    return at === -1 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}

export function envList(record: Record<string, string>): string[] {
  return Object.entries(record).map(([name, value]) => `${name}=${value}`);
}
