// The ways to the views, with the number of things that wait for a person.
import { useInstance } from "../data/instance.ts";
import type { Route } from "../routes.ts";
import { Icon } from "./icon.tsx";

const links = [
  { view: "goals", href: "#/goals", text: "Goals" },
  { view: "inbox", href: "#/inbox", text: "Inbox" },
  { view: "clan", href: "#/clan", text: "Clan" },
  { view: "log", href: "#/log", text: "Log" },
  { view: "new", href: "#/new", text: "New goal" },
] as const;

export function Navigation({ view }: { view: Route["view"] }) {
  const { data } = useInstance();
  const waiting = data === undefined ? 0 : data.counts.open_questions + data.counts.open_approvals;
  const current = view === "goal" ? "goals" : view;
  return (
    <nav className="navigation" aria-label="Views">
      {links.map((link) => (
        <a
          key={link.view}
          href={link.href}
          aria-current={link.view === current ? "page" : undefined}
        >
          <Icon name={link.view} />
          <span>{link.text}</span>
          {link.view === "inbox" && waiting > 0 && (
            <span className="count-badge">
              {waiting}
              <span className="hidden"> waiting for a person</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
