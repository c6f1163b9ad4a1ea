import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mkdir, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { SkeinError, errorFromRecord } from "../../../core/internal.ts";
import { plainText, formatDuration, formatNumberOf } from "../../../terminal/index.ts";
import { ClaudeEngine, claudePrompt } from "../../../engine/internal.ts";
import { TODO_PROMPTS, openOfflineModel, type OfflineModel } from "../../../offline/internal.ts";
import { Conversation } from "../../../trace/internal.ts";
import { Workspace } from "../../../workspace/internal.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { runTurn } from "../../turn/run-turn.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { textFlag } from "../../common-flags.ts";

const execute = promisify(execFile);

const TRIALS: readonly (readonly string[])[] = [
  ["--test"],
  ["src/cli.js", "add", "Try Skein", "--due", "2030-01-31"],
  ["src/cli.js", "list"],
];

const AppRun = z.strictObject({ command: z.string(), output: z.string() });
type AppRun = z.infer<typeof AppRun>;

/** Runs the tests of the built app, and the app. That they pass is what the demo claims. */
async function runApp(directory: string, context: CommandContext): Promise<AppRun[]> {
  const runs: AppRun[] = [];
  // A test runner above us would make the app's tests report to it.
  const env = { ...context.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined };
  for (const words of TRIALS) {
    const command = `node ${words.map((word) => (/\s/u.test(word) ? `"${word}"` : word)).join(" ")}`;
    const { signal } = context;
    const { stdout } = await execute(process.execPath, words, { cwd: directory, env, signal }).catch(
      (error: Error & { readonly stdout?: string }) => {
        signal.throwIfAborted();
        throw new SkeinError(`The finished app does not pass: ${command}`, {
          kind: "runtime",
          target: directory,
          hint: "Run the command in that directory to see why.",
          details: { output: error.stdout ?? error.message },
        });
      },
    );
    runs.push({ command, output: stdout });
    await context.print(shown(command, stdout, context));
  }
  return runs;
}

function shown(command: string, output: string, { terminal: { colors } }: CommandContext): string {
  // Of a test run the counts tell enough.
  const lines = plainText(output).trim().split("\n");
  const counts = lines.filter((line) => /^(?:#|ℹ) (?:tests|pass|fail) /u.test(line));
  const kept = counts.length > 0 ? [counts.map((line) => line.slice(2)).join(" · ")] : lines;
  return `  ${colors.dim("$")} ${command}\n${kept.map((line) => `    ${line}\n`).join("")}`;
}

export const demo = defineCommand({
  name: "demo",
  summary: "Watch the real CLI build an app, without a key",
  effects: { changes: "adds", isRepeatable: false, reaches: "machine" },
  args: z.object({
    cwd: textFlag("directory", "Where to build: a new or empty directory (default: a temporary one)"),
  }),
  data: z.strictObject({ cwd: z.string(), turns: z.array(TurnData), app: z.array(AppRun) }),
  streaming: "on-request",
  async run(given, context) {
    const directory = await makeDirectory(given.cwd);
    const { bold, dim } = context.terminal.colors;
    await context.print(`\n${bold("Skein demo")}  ${dim("the real Claude Code CLI, driven by the embedded model")}\n`);
    await using model = await openOfflineModel("todo");
    const turns = await converse(directory, model, context);
    await context.print(`\n${bold("What was built")}\n\n`);
    const app = await runApp(directory, context);
    await context.print(whatNext(directory, context));
    return { cwd: directory, turns, app };
  },
});

async function makeDirectory(given: string | undefined): Promise<string> {
  if (given === undefined) return await mkdtemp(join(tmpdir(), "skein-demo-"));
  const directory = resolve(given);
  const unusable = (message: string, hint: string, cause?: unknown): SkeinError =>
    new SkeinError(message, { kind: "filesystem", target: directory, hint: `${hint}, or leave out --cwd.`, cause });
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).length === 0) return directory;
  } catch (error) {
    throw unusable(`Cannot build in ${directory}: ${(error as Error).message}`, "Name another directory", error);
  }
  throw unusable(`${directory} is not empty`, "Name a new or empty directory");
}

/** One recorded conversation: each prompt goes on where the one before it ended. */
async function converse(directory: string, model: OfflineModel, context: CommandContext): Promise<TurnData[]> {
  const { bold, cyan, dim } = context.terminal.colors;
  const view = createTurnView(context);
  const turns: TurnData[] = [];
  await using workspace = await Workspace.open(directory);
  await using conversation = await Conversation.start(workspace, {
    engine: new ClaudeEngine(),
    // The model only plays our own script, so its commands are ours.
    options: { env: model.env, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  });
  for (const text of TODO_PROMPTS) {
    await context.print(`\n${cyan("❯")} ${bold(text)}\n`);
    const { data, error } = await runTurn({ conversation, prompt: claudePrompt({ text }), view, context });
    turns.push(data);
    if (error) throw errorFromRecord(error, { cwd: directory, turns });
    await context.print(`\n  ${dim(oneLine(data))}\n`);
  }
  return turns;
}

function oneLine({ files, tools, duration_ms: durationMs }: TurnData): string {
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  return [
    `${formatNumberOf(files.created.length, "file")} created`,
    `${files.modified.length} modified`,
    formatNumberOf(calls, "tool call"),
    formatDuration(durationMs),
  ].join(" · ");
}

function whatNext(directory: string, { env, terminal: { colors } }: CommandContext): string {
  const { bold, cyan, dim } = colors;
  // Under npx there is no `skein` on the path.
  const skein = env["npm_command"] === "exec" ? "npx skein" : "skein";
  const suggestions = [
    [`${skein} run "Build the UI with Vue" --continue --offline --cwd ${directory}`, "Keep building, still offline"],
    [`${skein} log --cwd ${directory}`, "See what was recorded; every turn can be undone"],
    [`${skein} run "Explain this code" --cwd ${directory}`, "Ask the real model, with your own credentials"],
    [`${skein} doctor`, "See what this machine has and lacks"],
  ] as const;
  const lines = suggestions.map(([command, why]) => `  ${dim(why)}\n    ${cyan(command)}\n`);
  return `\n${bold("What next")}\n\n  ${dim("The files are in")}\n    ${directory}\n${lines.join("")}`;
}
