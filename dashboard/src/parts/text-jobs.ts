import type { CodeLine } from "./highlight.ts";
import type { MarkdownNode } from "./markdown-tree.ts";

/** What is done with large texts beside the page's own thread. */
export type TextJob =
  | { readonly type: "highlight"; readonly code: string; readonly language: string | undefined }
  | { readonly type: "markdown"; readonly text: string };

interface Results {
  readonly highlight: readonly CodeLine[];
  readonly markdown: readonly MarkdownNode[];
}

export interface TextAnswer {
  readonly id: number;
  readonly result?: Results[TextJob["type"]];
}

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (answer: TextAnswer) => void>();

/** Has a job done in a worker, which is started for the first one; undefined where the worker could not. */
export async function inWorker<Type extends TextJob["type"]>(
  job: Extract<TextJob, { readonly type: Type }>,
): Promise<Results[Type] | undefined> {
  const id = ++lastId;
  const { result } = await new Promise<TextAnswer>((resolve) => {
    waiting.set(id, resolve);
    use().postMessage({ ...job, id });
  });
  return result as Results[Type] | undefined;
}

function use(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL("text-worker.ts", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<TextAnswer>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  // A worker that died answers nobody: what waits is drawn as plain text, and the next job starts another.
  worker.addEventListener("error", () => {
    worker = undefined;
    for (const [id, tell] of waiting) tell({ id });
    waiting.clear();
  });
  return worker;
}
