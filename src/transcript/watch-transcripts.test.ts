import { appendFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchTranscripts } from "./watch-transcripts.ts";

const said = (type: "user" | "assistant", text: string, cwd = "/shop"): string =>
  `${JSON.stringify({ type, sessionId: "s1", cwd, timestamp: "2026-11-15T06:00:00Z", message: { role: type, content: text } })}\n`;

it("gives what is said in any session from now on, of the project that is meant", async () => {
  const base = await mkdtemp(join(tmpdir(), "skein-watch-"));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  await mkdir(join(base, "-shop"));
  const old = join(base, "-shop", "old.jsonl");
  await writeFile(old, said("user", "said before"));
  const stop = new AbortController();
  const watched = watchTranscripts({ base, project: "shop", signal: stop.signal, pollMs: 5 });

  // It cannot be seen from outside when the watching has begun: what was said before is not told, so it is said again.
  const first = watched.next();
  const talking = setInterval(
    () => appendFileSync(old, said("user", "elsewhere", "/other") + said("assistant", "now")),
    20,
  );
  expect((await first).value).toMatchObject({ path: old, role: "assistant", text: "now", project: "/shop" });
  clearInterval(talking);
  await appendFile(old, '{"type":"user"');
  await writeFile(join(base, "-shop", "new.jsonl"), said("user", "a new session"));
  for await (const { role, text, tools } of watched) {
    if (text === "now") continue;
    expect([role, text, tools]).toEqual(["user", "a new session", []]);
    break;
  }
  const others = watchTranscripts({ base, signal: stop.signal, pollMs: 5 });
  const none = others.next();
  stop.abort();
  expect((await none).done).toBe(true);
});
