import { useEffect } from "react";
import { useLive } from "../data/use-live.ts";

/** The title and the icon of the page say when something waits for a person, whatever tab is in front. */
export function useAttention(): void {
  const waiting = useLive(({ questions }) => questions.size);
  useEffect(() => {
    const name = (): void => {
      const view = document.documentElement.dataset["view"] ?? "Skein";
      document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${view} · Skein`;
    };
    name();
    const icon = document.querySelector<HTMLLinkElement>("#icon");
    if (icon) icon.href = waiting > 0 ? "/assets/icon-waiting.svg" : "/assets/icon.svg";
    window.addEventListener("skein-view", name);
    return () => window.removeEventListener("skein-view", name);
  }, [waiting]);
}
