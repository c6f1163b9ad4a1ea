import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PLAIN_EXECUTION } from "../../../test/support/record-turns.ts";
import { createId, isoTime } from "../../core/internal.ts";
import { openTranscriptIndex, type TranscriptIndex } from "../../transcript/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { recordState } from "../record/record-state.ts";
import type { SessionEntry } from "../session/session-entry.ts";
import type { State } from "../record/state.ts";
import { unpackSessions } from "./unpack-sessions.ts";
import { watchSessions } from "./watch-sessions.ts";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";
const usage = { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

let root: string;
let home: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-unpack-"));
  home = join(root, "home");
  await mkdir(join(root, "app"));
  workspace = await Workspace.open(join(root, "app"), { home });
});
afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

/** What a turn adds to its session: a prompt that goes on from a record, and its answer. */
function turnOf(session: string, name: string, parent: string | null): readonly SessionEntry[] {
  const base = { sessionId: session, cwd: "/branch", version: "2.1.325", timestamp: "2026-11-15T06:00:00.000Z" };
  const answer = { role: "assistant", id: `m-${name}`, model: "claude-opus-5-5", stop_reason: "end_turn", usage };
  return [
    { ...base, type: "user", uuid: `${name}-u`, parentUuid: parent, message: { role: "user", content: `ask ${name}` } },
    {
      ...base,
      type: "assistant",
      uuid: `${name}-a`,
      parentUuid: `${name}-u`,
      message: { ...answer, content: [{ type: "text", text: `told ${name}` }] },
    },
  ];
}

interface Said {
  readonly session: string;
  readonly main: readonly SessionEntry[];
  readonly subagents?: ReadonlyMap<string, readonly SessionEntry[]>;
}

/** Records a turn as a conversation does, in the conversation of the state before it or in one of its own. */
async function record(
  parent: State | undefined,
  { session, main, subagents = new Map() }: Said,
  fork = false,
): Promise<State> {
  const conversationId = parent && !fork ? parent.conversationId : createId();
  const snapshot = await workspace.snapshot();
  const before = parent ?? (await recordState(workspace, { kind: "start", conversationId, snapshot, settings: {} }));
  const file = {
    id: createId(),
    conversationId,
    turn: before.turns + 1,
    prompt: { text: "ask", attachments: [] },
    execution: { ...PLAIN_EXECUTION, sessionId: session },
    recordedAt: isoTime(workspace.clock.now()),
    metadata: {},
    rewards: {},
  };
  const state = await recordState(workspace, {
    kind: "turn",
    conversationId,
    snapshot,
    parent: before,
    settings: {},
    sessionId: session,
    turn: { file, segment: { main, subagents } },
  });
  const from = parent && !fork ? parent.id : undefined;
  expect(await workspace.states.moveTip(conversationId, { from, to: state.id })).toBe(true);
  return state;
}

/** Two turns of one session, and a third that forks from the first. */
async function threeTurns(): Promise<readonly [State, State, State]> {
  const first = await record(undefined, { session: A, main: turnOf(A, "one", null) });
  const agent = {
    type: "user",
    uuid: "s1",
    sessionId: A,
    isSidechain: true,
    agentId: "x1",
    message: { role: "user", content: "deep" },
  };
  const subagents = new Map([["subagents/agent-x1", [agent]]]);
  const second = await record(first, { session: A, main: turnOf(A, "two", "one-a"), subagents });
  const third = await record(first, { session: B, main: turnOf(B, "three", "one-a") }, true);
  return [first, second, third];
}

async function uuidsIn(path: string): Promise<readonly unknown[]> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as SessionEntry).uuid ?? (JSON.parse(line) as SessionEntry).type);
}

const openIndex = async (recorded: string): Promise<TranscriptIndex> => {
  const index = await openTranscriptIndex({ home, transcriptsHome: join(root, "claude"), recorded });
  await index.refresh();
  return index;
};

describe("recorded sessions as transcripts", () => {
  it("lie as Claude Code lays out its own, a fork with the record that it goes on from", async () => {
    await threeTurns();
    const { folder, skipped } = await unpackSessions({ home });
    expect(skipped).toEqual([]);
    const own = join(folder, basename(workspace.home));
    expect(await uuidsIn(join(own, `${A}.jsonl`))).toEqual(["skein-recorded", "one-u", "one-a", "two-u", "two-a"]);
    expect(await uuidsIn(join(own, `${B}.jsonl`))).toEqual(["skein-recorded", "one-a", "three-u", "three-a"]);
    expect(await uuidsIn(join(own, A, "subagents/agent-x1.jsonl"))).toEqual(["s1"]);
    expect((await stat(join(own, `${A}.jsonl`))).mode & 0o777).toBe(0o600);
    expect((await stat(own)).mode & 0o777).toBe(0o700);
  });

  it("grow by what is new, and by nothing where several look at once", async () => {
    const [, second] = await threeTurns();
    const { folder } = await unpackSessions({ home });
    const file = join(folder, basename(workspace.home), `${A}.jsonl`);
    const { ino } = await stat(file);
    await record(second, { session: A, main: turnOf(A, "four", "two-a") });
    await Promise.all([unpackSessions({ home }), unpackSessions({ home }), unpackSessions({ home })]);
    expect(await uuidsIn(file)).toEqual(["skein-recorded", "one-u", "one-a", "two-u", "two-a", "four-u", "four-a"]);
    expect((await stat(file)).ino).toBe(ino);
  });

  it("lose what somebody wrote who was killed before he noted it", async () => {
    const [, second] = await threeTurns();
    const { folder } = await unpackSessions({ home });
    const own = join(folder, basename(workspace.home));
    await appendFile(join(own, `${A}.jsonl`), '{"type":"user","uuid":"half');
    await writeFile(join(own, "unpacked.json.x.tmp"), "{");
    await record(second, { session: A, main: turnOf(A, "four", "two-a") });
    await unpackSessions({ home });
    expect(await uuidsIn(join(own, `${A}.jsonl`))).toEqual([
      "skein-recorded",
      "one-u",
      "one-a",
      "two-u",
      "two-a",
      "four-u",
      "four-a",
    ]);
    await writeFile(join(own, "unpacked.json"), "{ torn");
    await unpackSessions({ home });
    expect(await uuidsIn(join(own, `${B}.jsonl`))).toEqual(["skein-recorded", "one-a", "three-u", "three-a"]);
  });

  it("go when the conversation is deleted, and with the store", async () => {
    const [, , third] = await threeTurns();
    const { folder } = await unpackSessions({ home });
    await using index = await openIndex(folder);
    expect((await index.search("three")).hits).toHaveLength(2);
    await workspace.states.removeConversation(third.conversationId);
    await unpackSessions({ home });
    expect(await readdir(join(folder, basename(workspace.home)))).not.toContain(`${B}.jsonl`);
    await index.refresh();
    expect((await index.search("three")).hits).toEqual([]);
    expect((await index.sessions()).totals.messages).toBe(2);
    await rm(workspace.home, { recursive: true });
    await unpackSessions({ home });
    expect(await readdir(folder)).toEqual([]);
  });

  it("count each response once, also where Claude Code's own file has it, and are one session with it", async () => {
    await threeTurns();
    const project = join(root, "claude", "-app");
    await mkdir(project, { recursive: true });
    const own = turnOf(A, "one", null).map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFile(join(project, `${A}.jsonl`), own.join(""));
    const { folder } = await unpackSessions({ home });
    await using index = await openIndex(folder);
    const { sessions, totals } = await index.sessions();
    expect(sessions.map(({ sessionIds, subagents, prompts }) => [sessionIds.toSorted(), subagents, prompts])).toEqual([
      [[A, B], 1, 3],
    ]);
    expect([totals.messages, totals.usage.inputTokens]).toEqual([3, 3000]);
    expect(
      (await index.stats({ by: "day", timeZone: "UTC" })).rows.map(({ key, messages }) => [key, messages]),
    ).toEqual([["2026-11-15", 3]]);
    expect(await readdir(join(root, "claude"))).toEqual(["-app"]);
    expect(await readdir(project)).toEqual([`${A}.jsonl`]);
  });

  it("are watched as they are recorded, each line once", async () => {
    const first = await record(undefined, { session: A, main: turnOf(A, "one", null) });
    const project = join(root, "claude", "-app");
    await mkdir(project, { recursive: true });
    const ended = new AbortController();
    const seen: string[] = [];
    const options = { home, base: join(root, "claude"), project: "app", pollMs: 5, signal: ended.signal };
    const watching = (async () => {
      for await (const event of watchSessions(options)) {
        if (event.type === "record") seen.push(`${basename(event.project ?? "")}: ${event.text}`);
        if (seen.length === 4) ended.abort();
      }
    })();
    // Until the watching has begun: what was recorded before it is not told.
    for (let [state, at] = [first, 2]; !ended.signal.aborted; at += 1) {
      state = await record(state, { session: A, main: turnOf(A, String(at), `${at - 1}-a`) });
    }
    await watching;
    expect(seen.slice(0, 2).map((line) => line.replace(/\d+/u, "n"))).toEqual(["app: ask n", "app: told n"]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain("app: ask one");
  });
});
