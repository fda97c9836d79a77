// The frame of every view: the instance, the connection, the ways to the views; and which view the
// address names.
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Connection } from "./components/connection.tsx";
import { Navigation } from "./components/navigation.tsx";
import { PartBoundary } from "./components/part-boundary.tsx";
import { SignIn } from "./components/sign-in.tsx";
import { TopBar } from "./components/top-bar.tsx";
import { InstanceContext, useInstanceReading } from "./data/instance.ts";
import { laterStyle } from "./data/later-style.ts";
import { useNotifier } from "./data/notices.ts";
import { usePlace } from "./data/place.ts";
import type { FailedSignIn } from "./data/sign-in.ts";
import { useSubject } from "./data/subject.ts";
import type { Route } from "./routes.ts";
import { GoalsView } from "./views/goals/goals-view.tsx";

// The views that need the graph, or diffs, are parts of their own: the first view is there sooner.
const GoalView = lazy(() =>
  styled(import("./views/goal/goal-view.tsx").then(({ GoalView: view }) => ({ default: view }))),
);
const InboxView = lazy(() =>
  styled(import("./views/inbox/inbox-view.tsx").then(({ InboxView: view }) => ({ default: view }))),
);
const ClanView = lazy(() =>
  styled(import("./views/clan/clan-view.tsx").then(({ ClanView: view }) => ({ default: view }))),
);
const LogView = lazy(() =>
  styled(import("./views/log/log-view.tsx").then(({ LogView: view }) => ({ default: view }))),
);
const NewGoalView = lazy(() =>
  styled(
    import("./views/new-goal/new-goal-view.tsx").then(({ NewGoalView: view }) => ({
      default: view,
    })),
  ),
);
const YouView = lazy(() =>
  styled(import("./views/you/you-view.tsx").then(({ YouView: view }) => ({ default: view }))),
);

async function styled<Part>(part: Promise<Part>): Promise<Part> {
  const [loaded] = await Promise.all([part, laterStyle()]);
  return loaded;
}

const titles: Record<Route["view"], string> = {
  goals: "Goals",
  goal: "Goal",
  inbox: "Inbox",
  clan: "Clan",
  log: "Log",
  new: "New goal",
  you: "You",
  unknown: "Not found",
};

/** `failedSignIn`: the address brought a token that gave no session. */
export function App({ failedSignIn }: { failedSignIn: FailedSignIn | undefined }) {
  const instance = useInstanceReading();
  const place = usePlace();
  const { route } = place;
  useNotifier(instance.data?.me.judges_for);
  useTitle(route, instance.data?.instance, waitingOf(instance.data?.counts));
  const main = useRef<HTMLElement>(null);
  useFocusOnChange(main, route.view);
  const [failed, setFailed] = useState(failedSignIn);
  // A later refusal counts, too: a session ends, and the program that made it may be another one by
  // now.
  if (failed !== undefined || instance.error?.status === 401)
    return <SignIn failed={failed} onGoOn={instance.data && (() => setFailed(undefined))} />;
  return (
    <InstanceContext value={instance}>
      {/* biome-ignore lint/a11y/useValidAnchor: a link, as readers of the screen expect; the address must stay as it is. */}
      <a
        className="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <TopBar />
      <Navigation view={route.view} />
      <Connection />
      <main ref={main} id="main" tabIndex={-1} className={`view view-${route.view}`}>
        <PartBoundary key={route.view} address={JSON.stringify(place)}>
          <Suspense fallback={<p className="quiet loading">Loading…</p>}>{viewOf(route)}</Suspense>
        </PartBoundary>
      </main>
    </InstanceContext>
  );
}

function viewOf(route: Route): ReactNode {
  switch (route.view) {
    case "goals":
      return <GoalsView />;
    case "goal":
      return <GoalView key={route.goal} goal={route.goal} />;
    case "inbox":
      return <InboxView />;
    case "clan":
      return <ClanView />;
    case "log":
      return <LogView />;
    case "new":
      return <NewGoalView />;
    case "you":
      return <YouView />;
    default:
      return (
        <div className="empty">
          <h1>There is no such view</h1>
          <p>
            <a href="#/goals">All goals</a>
          </p>
        </div>
      );
  }
}

function waitingOf(counts: { open_questions: number; open_approvals: number } | undefined): number {
  return counts === undefined ? 0 : counts.open_questions + counts.open_approvals;
}

function useTitle({ view }: Route, instance: string | undefined, waiting: number): void {
  const name = useSubject() ?? titles[view];
  useEffect(() => {
    const count = waiting > 0 ? `(${waiting}) ` : "";
    document.title = `${count}${name} · ${instance ?? "Sett"}`;
  }, [name, instance, waiting]);
}

/** After a change of the view, the keyboard goes on at its beginning. */
function useFocusOnChange(main: { current: HTMLElement | null }, view: string): void {
  const before = useRef(view);
  useEffect(() => {
    if (before.current === view) return;
    before.current = view;
    main.current?.focus({ preventScroll: true });
  }, [main, view]);
}
