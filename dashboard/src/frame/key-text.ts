const isMac = navigator.platform.startsWith("Mac");

const NAMES: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "Enter",
  " ": "Space",
};

/** A key as people read it: `mod+k` as `⌘K` or `Ctrl K`. */
export function keyText(key: string): string {
  if (!key.startsWith("mod+")) return NAMES[key] ?? key;
  const letter = key.slice("mod+".length);
  return isMac ? `⌘${letter.toUpperCase()}` : `Ctrl ${NAMES[letter] ?? letter.toUpperCase()}`;
}
