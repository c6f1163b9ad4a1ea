import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SkeinEvent, TurnResult } from "../../src/core/index.ts";
import { ClaudeEngine, claudePrompt, type ClaudeOptions } from "../../src/engine/index.ts";
import { isolate, IsolationConfig } from "../../src/isolation/index.ts";
import { type IsolationOptions } from "../../src/isolation/internal.ts";
import type { OfflineAgent } from "../../src/testing/index.ts";

/** The key that attacks look for. */
export const KEY = "sk-ant-skein-attack-0123456789";

/** A pattern for the key that does not match itself, where it stands in a command line or a log. */
export const KEY_PATTERN = "'sk-ant-skein-att[a]ck-0123456789'";

/** A call of a tool and what came of it, as the events tell. */
export interface Attempt {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly isError: boolean;
}

/** What an attack left. */
export interface Attack {
  readonly attempts: readonly Attempt[];
  readonly result: TurnResult;
  /** Files of the private home that hold the key, looked at from outside of the sandbox while they were there. */
  readonly filesWithKey: readonly string[];
  /** What lies in the folder of the CLI's settings. */
  readonly configFiles: readonly string[];
  /** Where the private home was. */
  readonly home: string;
}

/** How an attack is run. */
export interface AttackOptions extends IsolationOptions {
  /** Cancels the turn once so many calls have ended and the next has begun. */
  readonly cancelAfter?: number | undefined;
}

/** Runs tool calls, one a line, in an isolated turn of the real CLI. */
export async function attack(
  agent: OfflineAgent,
  calls: readonly Call[],
  options: AttackOptions = {},
): Promise<Attack> {
  const { cancelAfter, ...config } = options;
  await using isolated = await isolate(IsolationConfig({ apiKey: KEY, ...config }), agent.options);
  const { attempts, result } = await runCalls(isolated.options, calls, { cancelAfter });
  const cliHome = dirname(isolated.home);
  const filesWithKey = await filesHolding(dirname(cliHome), KEY);
  const configFiles = await readdir(join(cliHome, ".claude"));
  return { attempts, result, filesWithKey, configFiles, home: isolated.home };
}

/** Runs tool calls, one a line, in a turn of the real CLI with these options. */
export async function runCalls(
  options: ClaudeOptions,
  calls: readonly Call[],
  { cancelAfter }: Pick<AttackOptions, "cancelAfter"> = {},
): Promise<Pick<Attack, "attempts" | "result">> {
  const controller = new AbortController();
  const events: SkeinEvent[] = [];
  for await (const event of new ClaudeEngine(options).stream(claudePrompt(toScript(calls)), {
    signal: controller.signal,
  })) {
    events.push(event);
    const count = (type: SkeinEvent["type"]): number => events.filter((other) => other.type === type).length;
    if (count("tool-end") === cancelAfter && count("tool-start") > cancelAfter) controller.abort();
  }
  const end = events.at(-1);
  if (end?.type !== "turn-end") throw new Error("The turn has no end");
  return { attempts: attemptsIn(events), result: end.result };
}

/** Calls as a prompt for the scenario that does what it is told. */
export function toScript(calls: readonly Call[]): string {
  return calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join("\n");
}

/** A tool call for the model to make. */
export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call of Bash. */
export function bash(command: string, more: Readonly<Record<string, unknown>> = {}): Call {
  return { tool: "Bash", input: { command, description: "Attack", ...more } };
}

/** What came of a call, in two words. */
export function toVerdict({ tool, isError }: Pick<Attempt, "tool" | "isError">): string {
  return `${tool} ${isError ? "refused" : "done"}`;
}

/** A command that tells by a word whether it got through. */
export function probe(command: string): Call {
  return bash(`{ ${command}; } >/dev/null 2>&1 && echo REACHED || echo blocked`);
}

/** The processes of this machine whose command line holds a text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line.includes(text));
}

function attemptsIn(events: readonly SkeinEvent[]): readonly Attempt[] {
  return events.flatMap((event) => {
    if (event.type !== "tool-start") return [];
    const end = events.find((other) => other.type === "tool-end" && other.toolUseId === event.toolUseId);
    const { output, isError } = end?.type === "tool-end" ? end : { output: "", isError: true };
    return [{ tool: event.tool, input: event.input, output: withoutViolations(String(output)), isError }];
  });
}

/** The CLI tells the model below the output what the sandbox denied. */
function withoutViolations(output: string): string {
  return output.replace(/\n<sandbox_violations>[^]*$/u, "");
}

async function filesHolding(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1").catch(() => "")));
  return files.filter((_, index) => contents[index]?.includes(text));
}
