import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endOf, spawnGit, gitError } from "../../git/index.ts";

/** Three versions of a text. */
export interface ThreeTexts {
  /** What a person has made of it. */
  readonly now: Buffer;
  /** What the turn had left. */
  readonly after: Buffer;
  /** What it was before the turn. */
  readonly before: Buffer;
}

/** The merged text; with marks where both sides changed the same lines, and none where it is not text. */
export type MergedText =
  | { readonly type: "clean"; readonly content: Buffer }
  | { readonly type: "marked"; readonly content: Buffer }
  | { readonly type: "binary" };

/** Takes one side's change of a text back and keeps the other's, line by line, as git merges. */
export async function mergeContent(gitDirectory: string, { now, after, before }: ThreeTexts): Promise<MergedText> {
  const folder = await mkdtemp(join(tmpdir(), "skein-merge-"));
  try {
    for (const [name, content] of Object.entries({ now, after, before })) await writeFile(join(folder, name), content);
    const labels = ["since the turn", "after the turn", "before the turn"].flatMap((label) => ["-L", label]);
    const child = spawnGit({
      gitDirectory,
      cwd: folder,
      args: ["merge-file", "-p", ...labels, "now", "after", "before"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on("error", () => undefined);
    child.stdin.end();
    const ended = await endOf(child);
    // The number of conflicts, at most 127; more is a failure, and that one means what is not text.
    if (ended.exitCode === 255) return { type: "binary" };
    if (ended.exitCode === null || ended.exitCode > 127) throw gitError("merge-file", ended);
    return { type: ended.exitCode === 0 ? "clean" : "marked", content: Buffer.concat(chunks) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
