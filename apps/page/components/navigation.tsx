// The ways to the views, with the number of things that wait for a person.
import { useInstance } from "../data/instance.ts";
import type { Route } from "../routes.ts";

const links = [
  { view: "goals", href: "#/goals", text: "Goals", symbol: "◎" },
  { view: "inbox", href: "#/inbox", text: "Inbox", symbol: "✉" },
  { view: "clan", href: "#/clan", text: "Clan", symbol: "⛭" },
  { view: "log", href: "#/log", text: "Log", symbol: "≡" },
  { view: "new", href: "#/new", text: "New goal", symbol: "+" },
] as const;

export function Navigation({ view }: { view: Route["view"] }) {
  const { data } = useInstance();
  const waiting = data === undefined ? 0 : data.counts.open_questions + data.counts.open_approvals;
  const current = view === "goal" ? "goals" : view;
  return (
    <nav className="navigation" aria-label="Views">
      {links.map((link) => (
        <a key={link.view} href={link.href} aria-current={link.view === current ? "page" : undefined}>
          <span aria-hidden="true" className="nav-symbol">
            {link.symbol}
          </span>
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
