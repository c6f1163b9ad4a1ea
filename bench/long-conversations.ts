import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeEngine } from "skein/testing";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { alternate } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";

const [SHORT, LONG] = [30, 3000];
const ROUNDS = 9;

/** Only the end of a conversation is read to take it up, so that both should cost the same. */
export const longConversations: Bench = {
  name: "long",
  summary: "taking up a long conversation beside a short one",
  async run(tell) {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-long-"));
    try {
      tell(`a conversation of ${LONG} turns is made`);
      const [few, many] = [await makeConversation(root, SHORT), await makeConversation(root, LONG)];
      const { short, long } = await alternate(ROUNDS, { short: () => take(few), long: () => take(many) });
      return [
        row({
          name: "load-long",
          what: `load of a conversation of ${LONG} turns`,
          ours: long.loadMs,
          unit: "ms",
          beside: { name: `of ${SHORT} turns`, value: short.loadMs },
        }),
        row({
          name: "history-long",
          what: `history() of ${LONG} turns`,
          ours: long.historyMs,
          unit: "ms",
          beside: { name: "its load", value: long.loadMs },
        }),
      ];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

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
