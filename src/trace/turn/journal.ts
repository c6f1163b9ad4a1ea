import { open, readdir, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import {
  formatJsonl,
  identify,
  isElsewhere,
  isRunning,
  parseJson,
  ProcessIdentitySchema,
  type TurnResult,
} from "../../core/internal.ts";
import { makeFolder, storageError, syncFolder } from "../../git/index.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { addEntries, createSegment, type SessionEntry, type SessionSegment } from "../session/session-entry.ts";
import { Settings } from "../record/state.ts";
import type { ToolExecution } from "./tool-recorder.ts";

/** What a turn began with, on the disk before the agent starts. */
const JournalHead = z.strictObject({
  version: z.literal(1),
  transitionId: z.string(),
  conversationId: z.string(),
  tip: z.string().nullable(),
  beforeStateId: z.string(),
  /** The directory's head; none where nothing was recorded in it. */
  headStateId: z.string().nullable(),
  directory: z.string(),
  turn: z.int().positive(),
  prompt: z.strictObject({
    text: z.string(),
    attachments: z.array(z.object({ type: z.enum(["image", "pdf", "text"]), name: z.string() })),
  }),
  metadata: z.record(z.string(), z.unknown()),
  settings: Settings,
  startedAt: z.string(),
  holder: ProcessIdentitySchema,
});

type JournalHead = z.infer<typeof JournalHead>;

/** The record of a turn while it runs: what is in it survives the process. */
export interface Journal extends AsyncDisposable {
  /** Lines of the session, as the CLI wrote them. */
  entries(batch: { readonly subagent?: string; readonly entries: readonly SessionEntry[] }): Promise<void>;
  tool(call: ToolExecution): Promise<void>;
  /** The turn has ended: on the disk when it resolves, so that its cost is not lost even if the rest is. */
  end(result: TurnResult): Promise<void>;
  /** The turn is recorded as a state, or nothing of it ran: the journal is not needed any more. */
  remove(): Promise<void>;
}

/** A turn that is not recorded yet, as its journal tells it. */
export interface JournalRecord {
  readonly path: string;
  readonly isCutOff: boolean;
  readonly head: JournalHead;
  readonly segment: SessionSegment;
  readonly tools: readonly ToolExecution[];
  /** What it came to, where it had ended before it was cut off. */
  readonly result?: TurnResult;
}

/** What its conversation says of a turn that begins. */
export type BegunTurn = Omit<JournalHead, "version" | "holder" | "directory" | "headStateId">;

export async function openJournal(workspace: Workspace, head: BegunTurn): Promise<Journal> {
  const path = join(workspace.home, "journals", `${head.transitionId}.jsonl`);
  const holder = (await identify(process.pid)) ?? { pid: process.pid, startTime: "" };
  const headStateId = (await workspace.states.head())?.stateId ?? null;
  const file = await begin(workspace, path, { version: 1, ...head, headStateId, directory: workspace.path, holder });
  const put = (value: unknown): Promise<unknown> => stored(path, () => file.write(formatJsonl(value)));
  let isOpen = true;
  return {
    async entries(batch) {
      if (isOpen) await put(batch);
    },
    async tool(call) {
      await put({ tool: call });
    },
    async end(result) {
      await put({ end: result });
      await stored(path, () => file.datasync());
    },
    async remove() {
      isOpen = false;
      await file.close();
      await dropJournal(workspace, { path, head });
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      // The turn could not be recorded, and its process may live on: the name says that nobody works on it any more.
      await rename(path, path.replace(/\.jsonl$/u, CUT_OFF)).catch(() => undefined);
    },
  };
}

/** How the journal of a turn is called that its own process gave up. */
const CUT_OFF = ".cut.jsonl";

/** The first line is on the disk before anything else happens; where that fails, nothing is left behind. */
async function begin(workspace: Workspace, path: string, first: JournalHead): Promise<FileHandle> {
  return await stored(path, async () => {
    await makeFolder(dirname(path));
    const file = await open(path, "wx", 0o600);
    try {
      await file.write(formatJsonl(first));
      await file.datasync();
      await syncFolder(dirname(path));
      // The conversation's own name keeps its tip; a state that was recorded for this turn has none yet.
      if (first.beforeStateId !== first.tip) await workspace.states.hold(first.transitionId, first.beforeStateId);
      return file;
    } catch (error) {
      await file.close();
      await dropJournal(workspace, { path, head: first });
      throw error;
    }
  });
}

async function stored<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storageError("The journal of the turn could not be written", path, cause);
  }
}

export async function findJournals(workspace: Workspace): Promise<readonly JournalRecord[]> {
  const all = await listJournals(workspace);
  return all.filter(({ head, isCutOff }) => isCutOff && head.directory === workspace.path);
}

/** All journals of a workspace and its branches, those of turns that run now too. */
export async function listJournals(workspace: Workspace): Promise<readonly JournalRecord[]> {
  const folder = join(workspace.home, "journals");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl")).toSorted();
  const found: JournalRecord[] = [];
  for (const path of names.map((name) => join(folder, name))) {
    const record = await readJournal(workspace, path);
    if (record) found.push(record);
    else await dropUnbegun(workspace, path);
  }
  return found;
}

/** Within this time whoever makes a journal has written its first line. */
const BEGUN_MS = 10_000;

/** A journal without its first line is of a process that was killed as it began: no agent was started yet. */
async function dropUnbegun(workspace: Workspace, path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats || stats.mtimeMs > workspace.clock.now() - BEGUN_MS) return;
  await dropJournal(workspace, { path, head: { transitionId: basename(path, ".jsonl") } });
}

export async function dropJournal(
  workspace: Workspace,
  { path, head }: { readonly path: string; readonly head: Pick<JournalHead, "transitionId"> },
): Promise<void> {
  await rm(path, { force: true });
  await workspace.states.release(head.transitionId);
}

interface JournalLine {
  readonly subagent?: string;
  readonly entries?: readonly SessionEntry[];
  readonly tool?: ToolExecution;
  readonly end?: TurnResult;
}

/** Reads as much as was written whole: the last line may be half of one. */
async function readJournal(workspace: Workspace, path: string): Promise<JournalRecord | undefined> {
  const [first, ...rest] = (await readFile(path, "utf8").catch(() => "")).split("\n");
  const head = JournalHead.safeParse(parseJson(first ?? ""));
  if (!head.success) return undefined;
  const segment = createSegment();
  const tools = new Map<string, ToolExecution>();
  let result: TurnResult | undefined;
  for (const line of rest.map((text) => parseJson(text) as JournalLine | undefined)) {
    if (line?.entries) addEntries(segment, line.entries, line.subagent);
    if (line?.tool) tools.set(line.tool.toolUseId, line.tool);
    if (line?.end) result = line.end;
  }
  const isCutOff = path.endsWith(CUT_OFF) || !(await isAlive(workspace, head.data));
  return { path, isCutOff, head: head.data, segment, tools: [...tools.values()], ...(result ? { result } : {}) };
}

/** A turn holds its directory while it runs, which can be seen from other containers, where its pid means nothing. */
async function isAlive(workspace: Workspace, { holder, directory }: JournalHead): Promise<boolean> {
  return (await isElsewhere(holder)) ? await workspace.isClaimedElsewhere(directory) : await isRunning(holder);
}
