// Dark, light, or as the system has it.
import { useState } from "react";
import { Icon } from "./icon.tsx";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const key = "sett.theme";

function stored(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(key)) ?? "system";
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  dispatchEvent(new Event("sett-theme"));
}

export function ThemeButton() {
  const [theme, setTheme] = useState(stored);
  const next = () => {
    const chosen = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    localStorage.setItem(key, chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <button type="button" className="theme-button" onClick={next} title="Change the theme">
      <Icon name="theme" />
      <span className="hidden">Theme: </span>
      <span className="wide-only">{theme}</span>
    </button>
  );
}
