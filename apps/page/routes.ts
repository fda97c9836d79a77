// Says which view the address names, and the address of a view. Addresses are fragments, so that
// the server needs no rules for them. Pure.

export type Route =
  | { view: "goals" }
  | { view: "goal"; goal: string }
  | { view: "inbox" }
  | { view: "clan" }
  | { view: "log" }
  | { view: "new" }
  | { view: "you" }
  | { view: "unknown"; path: string };

/** The parameters that the view keeps in its address: what is selected, filters. */
export type Place = { route: Route; query: Record<string, string> };

export function placeOf(fragment: string): Place {
  const [path = "", search = ""] = fragment.replace(/^#/, "").split("?");
  return { route: routeOf(path), query: Object.fromEntries(new URLSearchParams(search)) };
}

function routeOf(path: string): Route {
  const [view = "", id = "", ...rest] = path.replace(/^\/|\/$/g, "").split("/");
  if (rest.length > 0) return { view: "unknown", path };
  if (view === "" || (view === "goals" && id === "")) return { view: "goals" };
  if (view === "goals") return goalOf(id) ?? { view: "unknown", path };
  if (id !== "") return { view: "unknown", path };
  switch (view) {
    case "inbox":
    case "clan":
    case "log":
    case "new":
    case "you":
      return { view };
  }
  return { view: "unknown", path };
}

/** Undefined for what no address is written as, such as `%`. */
function goalOf(id: string): Route | undefined {
  try {
    return { view: "goal", goal: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** `#/goals/ID?a=…`; members that are empty or undefined are left out. */
export function hrefOf(path: string, query: Record<string, string | undefined> = {}): string {
  const used = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
  const search = new URLSearchParams(used).toString();
  return `#${path}${search === "" ? "" : `?${search}`}`;
}

export function goalHref(goal: string, artefact?: string, tab?: string): string {
  return hrefOf(`/goals/${encodeURIComponent(goal)}`, { a: artefact, tab });
}
