import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

const KEY = "skein-theme";
const listeners = new Set<() => void>();

/** The theme that a person chose; `system` follows the machine. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

/** Lays the chosen theme over the page, before anything of it is drawn. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
