import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ClaudeEngine } from "skein/engine";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { startBenchAgent } from "./bench-agent.ts";
import { alternate, timeOf } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row, type Row } from "./harness/row.ts";

const TURNS = 40;

export const monitoredTurns: Bench = {
  name: "monitored",
  summary: "a recorded turn while skein serve runs, beside one where none does",
  async run() {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-monitored-"));
    let server: ChildProcess | undefined;
    try {
      const [watched, alone] = [join(root, "watched"), join(root, "alone")];
      server = await serve(watched);
      await using agent = await startBenchAgent({
        steps: [
          { call: [{ tool: "Write", input: { file_path: "{{cwd}}/answer.txt", content: "{{prompt}}" } }] },
          { say: "Written." },
        ],
      });
      const engine = new ClaudeEngine({ ...agent.skein, permissionMode: "acceptEdits" });
      await using one = await openWorkspace(join(root, "one"), watched);
      await using other = await openWorkspace(join(root, "other"), alone);
      await using withServer = await Conversation.start(one, { engine });
      await using without = await Conversation.start(other, { engine });
      let turn = 0;
      const next = (): string => `turn ${(turn += 1)}`;
      const sides = await alternate(TURNS, {
        watched: () => timeOf(() => withServer.send(next())),
        alone: () => timeOf(() => without.send(next())),
      });
      return [compare(sides.watched.ms, sides.alone.ms)];
    } finally {
      server?.kill("SIGKILL");
      await rm(root, { recursive: true, force: true });
    }
  },
};

function compare(watchedMs: number, aloneMs: number): Row {
  return row({
    name: "monitored-turn",
    what: "recorded turn with a server running",
    ours: watchedMs,
    unit: "ms",
    beside: { name: "without one", value: aloneMs },
    aim: { of: "ratio", atMost: 1.05 },
  });
}

async function openWorkspace(directory: string, home: string): Promise<Workspace> {
  await mkdir(directory);
  return await Workspace.open(directory, { home });
}

async function serve(home: string): Promise<ChildProcess> {
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--output-format", "stream-json"], {
    env: { ...process.env, SKEIN_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(createInterface(child.stdout), "line");
  return child;
}
