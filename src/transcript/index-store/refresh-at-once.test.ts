import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { answer, prompt, writeTranscript } from "../../../test/support/write-history.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../../dist/transcript/index-store/open-transcript-index.js", import.meta.url).href;
const FILES = 30;
const PROMPTS = 40;

let root: string;
let base: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-transcript-at-once-"));
  base = join(root, "projects");
  for (let file = 0; file < FILES; file += 1) {
    const place = { sessionId: `s${file}` };
    const records = Array.from({ length: PROMPTS }, (_, n) => [
      prompt(`p${file}-${n}`, `needle in file ${file}`, place),
      answer(`a${file}-${n}`, "found", { ...place, output: 1 }),
    ]);
    writeTranscript(join(base, "-work-app", `s${file}.jsonl`), records.flat());
  }
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

it("several processes refresh at once: each finds everything, and each line is read by one of them", async () => {
  const children = Array.from({ length: 3 }, () => start(REFRESH));
  const results = await Promise.all(children.map(ended));
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(Array.from({ length: 3 }, () => [0, ""]));
  const told = results.map(({ stdout }) => JSON.parse(stdout) as { linesRead: number; messages: number });
  expect(told.map(({ messages }) => messages)).toEqual(Array.from({ length: 3 }, () => FILES * PROMPTS));
  expect(told.reduce((sum, { linesRead }) => sum + linesRead, 0)).toBe(FILES * PROMPTS * 2);
});

it("a process that is killed while it refreshes leaves an index that the next one completes", async () => {
  const child = start(`
    await index.refresh({ onProgress: ({ filesDone }) => console.log("at " + filesDone) });
    await new Promise(() => setInterval(() => {}, 1000));`);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  while (!output.includes("at 5\n")) await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  await using index = await openTranscriptIndex({ home: join(root, "home"), transcriptsHome: base });
  await index.refresh();
  const { totals } = await index.sessions();
  expect([totals.sessions, totals.messages]).toEqual([FILES, FILES * PROMPTS]);
  expect((await index.search("needle", { limit: 5000 })).hits).toHaveLength(FILES * PROMPTS);
});

const REFRESH = `
  const { linesRead } = await index.refresh();
  const { totals } = await index.sessions();
  console.log(JSON.stringify({ linesRead, messages: totals.messages }));
  await index.close();`;

function start(body: string): ChildProcess {
  if (!existsSync(new URL(BUILT))) throw new Error("Build the package first: npm run build");
  const script = `
    import { openTranscriptIndex } from ${JSON.stringify(BUILT)};
    const index = await openTranscriptIndex(${JSON.stringify({ home: join(root, "home"), transcriptsHome: base })});
    ${body}`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
  return spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
