// The page's first lines: it draws the app into the document, and holds the stream of events while
// the tab is in view.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme } from "./components/theme-choice.tsx";
import { wantsNotices } from "./data/notices.ts";
import { signInByAddress } from "./data/sign-in.ts";
import { stream } from "./data/stream.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/goals.css";
import "./style/log.css";

/** A hidden tab gives its connection back after this time. */
const hiddenMs = 30_000;

let timer: ReturnType<typeof setTimeout> | undefined;
function holdStream(): void {
  clearTimeout(timer);
  if (document.visibilityState === "visible") stream.start();
  else
    timer = setTimeout(() => {
      if (!wantsNotices()) stream.stop();
    }, hiddenMs);
}

async function start(): Promise<void> {
  const failedSignIn = await signInByAddress();
  document.addEventListener("visibilitychange", holdStream);
  addEventListener("online", () => stream.retryNow());
  stream.start();
  holdStream();
  const root = document.getElementById("page");
  if (root !== null)
    createRoot(root).render(
      <StrictMode>
        <App failedSignIn={failedSignIn} />
      </StrictMode>,
    );
}

applyTheme();
void start();
