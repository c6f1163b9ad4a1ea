import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeEngine } from "skein/testing";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { median } from "./statistics.ts";

const [SHORT, LONG] = [30, 3000];
const ROUNDS = 9;

/** Taking up a long conversation beside a short one: only its end is read, so that both should cost the same. */
export async function benchLongConversations(): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-long-"));
  try {
    const [short, long] = [await makeConversation(root, SHORT), await makeConversation(root, LONG)];
    const times = { short: [] as number[], long: [] as number[], history: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.short.push((await take(short)).loadMs);
      const { loadMs, historyMs } = await take(long);
      times.long.push(loadMs);
      times.history.push(historyMs);
    }
    const [shortMs, longMs, historyMs] = [median(times.short), median(times.long), median(times.history)];
    return [
      `load of a conversation of ${LONG} turns: ${longMs.toFixed(1)} ms, of ${SHORT} turns ${shortMs.toFixed(1)} ms, ratio ${(longMs / shortMs).toFixed(2)}`,
      `history() of ${LONG} turns: ${historyMs.toFixed(0)} ms, ${(historyMs / longMs).toFixed(1)} × load`,
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Place {
  readonly path: string;
  readonly home: string;
}

const engine = createFakeEngine(() => "fine");

async function take({ path, home }: Place): Promise<{ readonly loadMs: number; readonly historyMs: number }> {
  await using workspace = await Workspace.open(path, { home });
  const startedAt = performance.now();
  await using conversation = await Conversation.load(workspace, "@", { engine });
  const loadedAt = performance.now();
  conversation.history();
  return { loadMs: loadedAt - startedAt, historyMs: performance.now() - loadedAt };
}

/** Runs one turn, and writes it again and again, each time as the next one: no model has to be waited for. */
async function makeConversation(root: string, turns: number): Promise<Place> {
  const place = { path: join(root, `w${turns}`), home: join(root, `home${turns}`) };
  await using workspace = await Workspace.open(place.path, { home: place.home });
  await writeFile(join(place.path, "a"), "a");
  await using conversation = await Conversation.start(workspace, { engine });
  await conversation.send("the first of many");
  const { states } = workspace;
  const first = await states.read(conversation.tip?.id ?? "");
  const texts = [await states.file(first, "state.json"), await states.file(first, "transition.json")] as const;
  const session = (await states.file(first, "session/0001.jsonl")) ?? "{}\n";
  let tip = first.id;
  for (let turn = 2; turn <= turns; turn += 1) {
    const [state = "", transition = ""] = texts.map((text) =>
      text?.replace(/"turns?": 1\b/u, (was) => `${was.slice(0, -1)}${turn}`),
    );
    const written = await states.write({
      ...first,
      parentId: tip,
      files: new Map([
        ["state.json", state],
        ["transition.json", transition],
      ]),
      session: new Map([[`${String(turn).padStart(4, "0")}.jsonl`, session]]),
      sessionOf: tip,
    });
    tip = written.id;
  }
  await states.moveTip(conversation.id, { from: first.id, to: tip });
  await states.setHead({ stateId: tip, conversationId: conversation.id });
  return place;
}
