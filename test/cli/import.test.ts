import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudePrompt } from "../../src/engine/index.ts";
import { projectFolderName } from "../../src/core/internal.ts";
import { bash } from "../support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../support/traced-agent.ts";
import { runSkein, runSkeinJson, type Finished } from "./support/skein.ts";

let traced: TracedAgent;
let session: string;
let folder: string;
let place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

beforeAll(async () => {
  traced = await startTracedAgent();
  const elsewhere = await traced.folder();
  const { engine, home } = traced.agent;
  ({ sessionId: session } = await engine.execute(claudePrompt("say OLDWORDS"), { cwd: elsewhere }));
  folder = join(home, ".claude/projects", projectFolderName(elsewhere));
  place = { cwd: await traced.folder(), env: { HOME: home, SKEIN_HOME: await traced.folder() } };
});
afterAll(() => traced.close());

const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;
const skein = (...args: readonly string[]): Promise<Finished> => runSkein(args, place);

async function failure(...args: readonly string[]): Promise<unknown> {
  const { code, envelope } = await runSkeinJson(["run", "x", ...OFFLINE, ...args], place);
  expect(code).toBe(1);
  return envelope["error"];
}

test("run --import takes up a session of Claude Code's own, and the record goes on from it", async () => {
  const file = join(folder, `${session}.jsonl`);
  const before = await readFile(file, "utf8");
  const first = await runSkeinJson(
    ["run", bash("echo new > new.txt"), "--import", session.slice(0, 8), ...OFFLINE],
    place,
  );
  expect(first).toMatchObject({ code: 0, envelope: { data: { files: { created: ["new.txt"] }, is_error: false } } });
  const { conversation_id: conversation } = first.envelope["data"] as { readonly conversation_id: string };
  const next = await runSkeinJson(["run", "say on", "--continue", ...OFFLINE], place);
  expect(next.envelope["data"]).toMatchObject({ conversation_id: conversation, text: "on" });
  expect(await readFile(file, "utf8")).toBe(before);

  const shown = await skein("session", "@", "--format", "md");
  for (const words of ["OLDWORDS", "new.txt", "say on"]) expect(shown.stdout).toContain(words);
  const log = await runSkeinJson(["log"], place);
  expect(log.envelope["data"]).toMatchObject({ totals: { turns: 2 } });
  expect((await skein("verify")).code).toBe(0);
  // The same by its file, which may lie anywhere.
  const copy = join(place.env["SKEIN_HOME"] ?? "", "a copy.jsonl");
  await cp(file, copy);
  expect((await runSkeinJson(["run", "say file", "--import", copy, ...OFFLINE], place)).code).toBe(0);
});

test("run --import says what to do where it cannot", async () => {
  await cp(join(folder, `${session}.jsonl`), join(folder, `${session.slice(0, 8)}-twin.jsonl`));
  expect(await failure("--import", "nothing")).toMatchObject({
    kind: "session_not_found",
    hint: expect.stringContaining("skein sessions"),
  });
  expect(await failure("--import", session.slice(0, 8))).toMatchObject({
    kind: "usage",
    hint: expect.stringContaining(session),
  });
  expect(await failure("--import", "./none.jsonl")).toMatchObject({ kind: "filesystem" });
  expect(await failure("--import", session, "--continue")).toMatchObject({ kind: "usage" });
  expect(await failure("--import", session, "--no-record")).toMatchObject({
    kind: "usage",
    message: "--import takes a session into the record, which --no-record rules out",
  });
});
