import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../src/database/index.ts";
import { prompt, writeTranscript } from "../support/write-history.ts";
import { runSkein, runSkeinJson, startSkein, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 120_000 } as const;

/** A home of Claude Code's with one session, and Skein's beside it. */
async function makeHome() {
  const home = await temporaryDirectory();
  const claude = join(home, "claude");
  const transcript = join(claude, "projects", "-work-shop", "s1.jsonl");
  await mkdir(join(claude, "projects", "-work-shop"), { recursive: true });
  writeTranscript(transcript, [prompt("p1", "Why is the basket test flaky?", { sessionId: "s1" })]);
  const own = join(home, "skein");
  return {
    transcript,
    options: { env: { SKEIN_HOME: own } },
    flags: ["--claude-home", claude],
    /** Where what is known of these transcripts lies. */
    folder: (): string =>
      join(own, "transcripts", readdirSync(join(own, "transcripts")).find((name) => name.length === 16) ?? ""),
  };
}

describe("the index of transcripts", () => {
  it("is not made before somebody searches, or asks for it", SLOW, async () => {
    const { folder, flags, options } = await makeHome();
    for (const command of [["sessions"], ["stats"], ["session", "s1"]]) await runSkein([...command, ...flags], options);
    expect(readdirSync(folder())).toEqual(["totals.bin"]);
    const made = await runSkeinJson(["index", ...flags], options);
    expect(made.envelope["data"]).toMatchObject({ transcripts: 1, transcripts_read: 1, skipped: [], broken_lines: 0 });
    expect(existsSync(join(folder(), "search.sqlite"))).toBe(true);
    const { stdout } = await runSkein(["index", ...flags], options);
    expect(stdout).toMatch(/^✓ 1 transcript can be searched; the index takes [\d.]+ kB\n {2}Nothing was new\n$/u);
  });

  it(
    "is searched while another process makes it, and says what is missing; who waits for it can be interrupted",
    SLOW,
    async () => {
      const { transcript, folder, flags, options } = await makeHome();
      await runSkein(["search", "flaky", ...flags], options);
      await writeFile(transcript, `${JSON.stringify(prompt("p2", "a flaky one more", { sessionId: "s1" }))}\n`, {
        flag: "a",
      });
      const { size } = await stat(transcript);
      await using _ = await takeLock(join(folder(), "refresh.lock"));
      const found = await runSkeinJson(["search", "flaky", ...flags], options);
      const missing = found.envelope["data"] as { readonly missing: { readonly bytes: number } };
      expect(found.envelope["data"]).toMatchObject({ hits: [{ uuid: "p1" }], missing: { files: 1 } });
      expect(missing.missing.bytes).toBeLessThan(size);
      const { stdout } = await runSkein(["search", "flaky", ...flags], options);
      expect(stdout).toContain(
        `Not searched yet: ${missing.missing.bytes} B of 1 transcript, the oldest; skein index takes them in`,
      );
      for (const name of readdirSync(folder())) if (name.startsWith("search")) await rm(join(folder(), name));
      const { child, finished } = await startSkein(["index", "--output-format", "json", ...flags], options);
      // It is opened by then, and waits.
      await expect.poll(() => existsSync(join(folder(), "search.sqlite")), { timeout: 30_000 }).toBe(true);
      child.kill("SIGINT");
      const { code, stdout: printed } = await finished;
      expect([code, printed]).toEqual([1, expect.stringContaining('"kind":"cancelled"')]);
    },
  );
});

describe("copies of transcripts", () => {
  it("are made from the time on when they are turned on, and tell what they take", SLOW, async () => {
    const { transcript, folder, flags, options } = await makeHome();
    const { size } = await stat(transcript);
    await runSkein(["stats", ...flags], options);
    expect(readdirSync(folder())).toEqual(["totals.bin"]);
    const { envelope } = await runSkeinJson(["archive", ...flags], options);
    const copy = await stat(join(folder(), "kept", "-work-shop", "s1.jsonl.gz"));
    const all = { transcripts: 1, transcript_bytes: size, copies: 1, copy_bytes: copy.size, skipped: [] };
    expect(envelope["data"]).toEqual({ is_on: true, copied: 1, ...all });
    await rm(transcript);
    expect((await runSkein(["session", "s1", ...flags], options)).stdout).toContain("Why is the basket test flaky?");
    expect((await runSkein(["search", "flaky", ...flags], options)).stdout).toContain("Why is the basket test flaky?");
    const off = await runSkein(["archive", "--off", ...flags], options);
    expect(off.stdout).toMatch(
      /^✓ No copies are made from now on\n {2}The copies take \d+ B on the disk; skein archive /u,
    );
  });
});
