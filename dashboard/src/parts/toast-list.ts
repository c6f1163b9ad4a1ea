/** Something that went wrong, or was done, while a person looked elsewhere. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly hint?: string | undefined;
  /** Where it can be looked at. */
  readonly address?: string | undefined;
  readonly meaning: "bad" | "neutral";
}

const MOST_KEPT = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Tells a person of something in the corner of the page; what failed stays until it is taken away. */
export function tellPerson(toast: Omit<Toast, "id">): void {
  lastId += 1;
  change([...toasts.filter(({ text }) => text !== toast.text), { ...toast, id: lastId }].slice(-MOST_KEPT));
}

export function dismissToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

export function readToasts(): readonly Toast[] {
  return toasts;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
