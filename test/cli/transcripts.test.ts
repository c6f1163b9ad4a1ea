import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEnvelope, runSkein, runSkeinJson, startSkein, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 120_000 } as const;

const ID = "11111111-1111-4111-8111-111111111111";

/** A record of a transcript, a minute after the one before it. */
function record(minute: number, type: "user" | "assistant", message: Readonly<Record<string, unknown>>): string {
  const timestamp = new Date(Date.UTC(2026, 10, 15, 6, minute)).toISOString();
  const base = { sessionId: ID, cwd: "/home/ada/shop", version: "2.1.325", timestamp, isSidechain: false };
  return JSON.stringify({
    ...base,
    type,
    uuid: `u${minute}`,
    parentUuid: minute === 0 ? null : `u${minute - 1}`,
    message,
  });
}

const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 0 };
const answer = { role: "assistant", model: "claude-opus-5-5", stop_reason: "end_turn", usage };

/** A home of Claude Code's with one session: a prompt, a call with its result, an answer that tries to be markup. */
async function claudeHome(): Promise<string> {
  const home = await temporaryDirectory();
  const folder = join(home, "projects", "-home-ada-shop");
  await mkdir(folder, { recursive: true });
  const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } };
  const lines = [
    record(0, "user", { role: "user", content: "Why is the basket test flaky?" }),
    record(1, "assistant", { ...answer, id: "m1", stop_reason: "tool_use", content: [call] }),
    record(2, "user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: "1 failing", is_error: true }],
    }),
    record(3, "assistant", {
      ...answer,
      id: "m2",
      content: [{ type: "text", text: "The clock is <script>alert(1)</script> not fake." }],
    }),
    "{ this is no record",
  ];
  await writeFile(join(folder, `${ID}.jsonl`), `${lines.join("\n")}\n`);
  return home;
}

const fixed = async (): Promise<{ readonly home: string; readonly flags: readonly string[] }> => {
  const home = await claudeHome();
  return { home, flags: ["--claude-home", home] };
};

describe("the transcripts of Claude Code", () => {
  it("are listed, summed up and searched, with what is known of the numbers", SLOW, async () => {
    const { home, flags } = await fixed();
    const listed = await runSkeinJson(["sessions", ...flags]);
    expect(listed.envelope["data"]).toMatchObject({
      count: 1,
      sessions: [
        {
          session_id: ID,
          project: "/home/ada/shop",
          first_prompt: "Why is the basket test flaky?",
          prompts: 1,
          tools: [{ tool: "Bash", calls: 1, errors: 1 }],
          usage: { input_tokens: 20, output_tokens: 40, cache_read_tokens: 60, responses: 2, lower_bounds: 0 },
        },
      ],
      prices: { date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u) as string },
    });
    const stats = await runSkeinJson(["stats", "--by", "tool", ...flags]);
    expect(stats.envelope["data"]).toMatchObject({ rows: [{ key: "Bash", tool: { calls: 1, errors: 1 } }] });
    const found = await runSkeinJson(["search", "flaky basket", ...flags]);
    expect(found.envelope["data"]).toMatchObject({
      hits: [
        {
          session_id: ID,
          role: "prompt",
          snippet: "Why is the basket test flaky?",
          ranges: [
            [11, 17],
            [23, 28],
          ],
        },
      ],
    });
    const text = await runSkein(["search", "flaky", ...flags]);
    expect(text.stdout).toContain("Why is the basket test flaky?");
    // What could not be read is told each time, also when nothing was new.
    const loop = join(home, "projects", "-home-ada-shop", "loop.jsonl");
    await symlink(loop, loop);
    for (const command of [["sessions"], ["stats"], ["search", "flaky"], ["search", "nowhere"]]) {
      const printed = (await runSkein([...command, ...flags])).stdout;
      expect(printed).toMatch(/ {2}1 file could not be read\n {2}1 broken line could not be read\n$/u);
    }
    const { envelope } = await runSkeinJson(["stats", ...flags]);
    expect(envelope["data"]).toMatchObject({ skipped: [{ path: loop, code: "ELOOP" }], broken_lines: 1 });
    expect((await runSkein(["sessions", "--project", "nowhere", ...flags])).stdout).toBe(
      "No matching sessions.\n  1 file could not be read\n  1 broken line could not be read\n",
    );
  });

  it("are shown as text, Markdown and one page that runs nothing, from either end", SLOW, async () => {
    const { home, flags } = await fixed();
    const shown = async (...args: readonly string[]): Promise<string> =>
      (await runSkein(["session", "1111", ...args, ...flags])).stdout;
    expect(await shown()).toContain("✗ Bash npm test failed · 1 min 0 s\n    │ 1 failing");
    expect(await shown("--format", "md")).toContain("**Bash** `npm test` 1 min 0 s — failed\n\n```\n1 failing\n```");
    const last = await runSkeinJson(["session", "1111", "--last", "1", ...flags]);
    expect(last.envelope["data"]).toMatchObject({
      messages: [{ role: "assistant", text: "The clock is <script>alert(1)</script> not fake." }],
      page: { has_before: true, has_after: false },
    });
    const file = join(home, "session.html");
    expect((await runSkein(["session", "1111", "--format", "html", "--file", file, ...flags])).code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const page = await readFile(file, "utf8");
    expect(page).toContain("The clock is &lt;script&gt;alert(1)&lt;/script&gt; not fake.");
    expect(page).not.toMatch(/<script|<link|src=|url\(/u);
    const again = await runSkeinJson(["session", "1111", "--format", "html", "--file", file, ...flags]);
    expect(again.envelope["error"]).toMatchObject({ kind: "filesystem", target: file });
  });

  it("are watched as they are written", SLOW, async () => {
    const { home, flags } = await fixed();
    const { finished, printed } = await startSkein([
      "watch",
      "--limit",
      "1",
      "--output-format",
      "stream-json",
      ...flags,
    ]);
    const file = join(home, "projects", "-home-ada-shop", "22222222-2222-4222-8222-222222222222.jsonl");
    const watching = { isDone: false };
    const seen = printed('"type":"record"').finally(() => (watching.isDone = true));
    for (let count = 0; !watching.isDone; count += 1) {
      await writeFile(file, `${record(count % 60, "user", { role: "user", content: `said ${count}` })}\n`, {
        flag: "a",
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await seen;
    const { code, stdout } = await finished;
    expect(code).toBe(0);
    expect(readEnvelope(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      data: { records: 1, usage: { responses: 0 }, skipped: [], broken_lines: 0 },
    });
  });
});
