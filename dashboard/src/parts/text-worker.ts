import { highlightLines } from "./highlight.ts";
import { parseMarkdown } from "./markdown-tree.ts";
import type { TextAnswer, TextJob } from "./text-jobs.ts";

// It only works on strings that it is handed, and answers with data: nothing is fetched, nothing is kept.
self.addEventListener("message", ({ data }: MessageEvent<TextJob & { readonly id: number }>) => {
  const post = self.postMessage as (answer: TextAnswer) => void;
  post({ id: data.id, result: resultOf(data) });
});

function resultOf(job: TextJob): NonNullable<TextAnswer["result"]> {
  return job.type === "highlight" ? highlightLines(job.code, job.language) : parseMarkdown(job.text);
}
