// Dark, light, or as the system has it.
import { useState } from "react";

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

export function ThemeChoice() {
  const [theme, setTheme] = useState(stored);
  const choose = (chosen: Theme) => {
    localStorage.setItem(key, chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <fieldset className="segmented" aria-label="Colours">
      {themes.map((each) => (
        <button key={each} type="button" aria-pressed={each === theme} onClick={() => choose(each)}>
          {each === "system" ? "As the system" : `${each[0]?.toUpperCase()}${each.slice(1)}`}
        </button>
      ))}
    </fieldset>
  );
}
