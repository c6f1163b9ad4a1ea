import { RestoreData } from "../../../protocol/index.ts";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { errorFromRecord, SkeinError } from "../../../core/internal.ts";
import { ClaudeEngine, claudePrompt, type ClaudeOptions } from "../../../engine/internal.ts";
import { openOfflineModel } from "../../../offline/internal.ts";
import { bestOfN, ClaudeEnvironment, testReward } from "../../../search/internal.ts";
import { formatPatch } from "../../../terminal/index.ts";
import { Conversation } from "../../../trace/internal.ts";
import { Workspace, type WorkspaceOptions } from "../../../workspace/internal.ts";
import { textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { createSearchProgress } from "../../explore/branch-progress.ts";
import { BranchData } from "../../explore/explore-data.ts";
import { EXPLORE_EVENTS } from "../../explore/explore-events.ts";
import { watchSearch } from "../../explore/explore-view.ts";
import { formatArrival, restoreHere, undoHere } from "../../states/restore-here.ts";
import { shortId } from "../../states/short-id.ts";
import { nextStepLines } from "../../turn/next-steps.ts";
import { runTurn } from "../../turn/run-turn.ts";
import { TurnData } from "../../turn/turn-data.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { DEMO_FILES, DEMO_PROMPTS, DEMO_SCENARIO, FIRST_PROMPT } from "./demo-project.ts";

const DemoData = z.strictObject({
  cwd: z.string().meta({ description: "Where it took place" }),
  is_kept: z.boolean().meta({ description: "Whether it is still there: only with --cwd" }),
  turn: TurnData.meta({ description: "The first try, in the workspace itself" }),
  patch: z.string().meta({ description: "What the first try changed, as a unified patch" }),
  undone: RestoreData.meta({ description: "What taking it back did" }),
  branches: z.array(BranchData).meta({ description: "The tries on branches, with their rewards" }),
  best: z.int().nullable().meta({ description: "The id of the best branch" }),
  adopted: RestoreData.meta({ description: "What bringing the best branch into the workspace did" }),
});

export const demo = defineCommand({
  name: "demo",
  summary: "Watch a run, its diff, an undo, and three branches, without a key",
  effects: { changes: "adds", isRepeatable: false, reaches: "machine" },
  args: z.object({
    cwd: textFlag(
      "directory",
      "Where to work, and to leave the result: a new or empty directory (default: nothing is left)",
    ),
  }),
  data: DemoData,
  streaming: "on-request",
  hasTurnEvents: true,
  events: EXPLORE_EVENTS,
  async run(given, context) {
    const scratch = await mkdtemp(join(tmpdir(), "skein-demo-"));
    try {
      const directory = await makeDirectory(given.cwd ?? join(scratch, "project"));
      const scenario = join(scratch, "scenario.json");
      await writeFile(scenario, JSON.stringify(DEMO_SCENARIO));
      await using model = await openOfflineModel(scenario);
      // The model only plays our own script, which edits files.
      const isKept = given.cwd !== undefined;
      const env = isKept ? model.env : { ...model.env, CLAUDE_CONFIG_DIR: join(scratch, "claude") };
      const options: ClaudeOptions = { env, permissionMode: "acceptEdits" };
      const home: WorkspaceOptions = isKept ? {} : { home: join(scratch, "data") };
      const place = { directory, options, home, context };
      const { bold, dim } = context.terminal.colors;
      await context.print(`\n${bold("Skein demo")}  ${dim("the real Claude Code CLI, with the offline model")}\n`);
      const tried = await tryOnce(place);
      const explored = await tryOnBranches(place);
      await context.print(whatNext(given.cwd, context));
      return { cwd: directory, is_kept: isKept, ...tried, ...explored };
    } finally {
      await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

async function makeDirectory(wanted: string): Promise<string> {
  const directory = resolve(wanted);
  const unusable = (message: string, hint: string, cause?: unknown): SkeinError =>
    new SkeinError(message, { kind: "filesystem", target: directory, hint: `${hint}, or leave out \`cwd\`.`, cause });
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).length > 0)
      throw unusable(`${directory} is not empty`, "Name a new or empty directory");
    for (const [name, content] of Object.entries(DEMO_FILES)) await writeFile(join(directory, name), content);
    return directory;
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    throw unusable(`Cannot work in ${directory}: ${(error as Error).message}`, "Name another directory", error);
  }
}

interface Place {
  readonly directory: string;
  readonly options: ClaudeOptions;
  readonly home: WorkspaceOptions;
  readonly context: CommandContext;
}

/** A turn in the workspace itself, what it changed, and how it is taken back. */
async function tryOnce({
  directory,
  options,
  home,
  context,
}: Place): Promise<Pick<DemoResult, "turn" | "patch" | "undone">> {
  await using workspace = await Workspace.open(directory, home);
  await typed(`run "${FIRST_PROMPT}"`, context);
  const turn = await firstTurn(workspace, { options, context });
  await typed("diff @~1 @ --patch", context);
  const [before, after] = [await workspace.states.resolve("@~1"), await workspace.states.resolve("@")];
  const patch = await workspace.patch(before, after);
  await context.print(formatPatch(patch, context.terminal));
  await typed("undo", context, "It threw the tests away");
  const undone = await undoHere(workspace, { dryRun: false, merge: false, discard: false }, context);
  await context.print(formatArrival(undone, context, "Undone"));
  return { turn, patch, undone };
}

async function firstTurn(
  workspace: Workspace,
  { options, context }: Pick<Place, "options" | "context">,
): Promise<TurnData> {
  await using conversation = await Conversation.start(workspace, { engine: new ClaudeEngine(), options });
  const view = createTurnView(context, { isOffline: true });
  const { data, error } = await runTurn({ conversation, prompt: claudePrompt({ text: FIRST_PROMPT }), view, context });
  if (error) throw errorFromRecord(error, { turn: data });
  return data;
}

/** Three tries from the same state, each on a branch of its own; the tests say which is best. */
async function tryOnBranches({
  directory,
  options,
  home,
  context,
}: Place): Promise<Pick<DemoResult, "branches" | "best" | "adopted">> {
  const prompts = DEMO_PROMPTS.map((prompt) => `--prompt "${prompt}"`);
  await typed(
    ["explore", ...prompts, '--reward "node --test --test-reporter=tap"', "--reward-format tap"].join(" \\\n      "),
    context,
    "Now three ways side by side",
  );
  await using environment = await ClaudeEnvironment.open(directory, { options, workspace: home });
  const progress = createSearchProgress();
  const search = bestOfN(environment, {
    from: await environment.checkpoint(),
    prompts: DEMO_PROMPTS,
    reward: testReward({ command: `'${process.execPath}' --test --test-reporter=tap`, format: "tap" }),
    concurrency: 3,
    signal: context.signal,
    watch: progress.watch,
  });
  const { result, branches } = await watchSearch(search, { strategy: "best-of-n", progress, context });
  if (!result.best)
    throw new SkeinError("No branch of the demo was completed", { kind: "runtime", details: { branches } });
  await typed(`adopt ${shortId(result.best.state.id)}`, context, "The best one comes into the workspace");
  const adopted = await restoreHere(environment.workspace, { state: result.best.state.id }, context);
  await context.print(formatArrival(adopted, context, "Adopted"));
  return { branches, best: result.best.id, adopted };
}

type DemoResult = z.infer<typeof DemoData>;

/** A command as a person types it, before what it shows. */
async function typed(command: string, { print, terminal: { colors } }: CommandContext, why?: string): Promise<void> {
  const said = why === undefined ? "" : `${colors.dim(why)}\n`;
  await print(`\n${said}${colors.cyan("❯")} ${colors.bold(`skein ${command}`)}\n`);
}

function whatNext(cwd: string | undefined, { env, terminal }: CommandContext): string {
  const steps = [
    { command: 'run "Explain this code"', why: "ask the real model, with your credentials" },
    { command: "init", why: "set up your own project" },
    { command: "doctor", why: "see what this machine has and lacks" },
  ];
  const kept = cwd === undefined ? [{ command: "demo --cwd ./demo", why: "the same, and keep the result" }] : [];
  const looks =
    cwd === undefined
      ? []
      : nextStepLines([{ command: "tree", why: "all tries and their rewards" }], { env, cwd, beside: 4 }, terminal);
  const lines = [...looks, ...nextStepLines([...kept, ...steps], { env, beside: 4 }, terminal)];
  return `\n${terminal.colors.bold("What next")}\n\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
