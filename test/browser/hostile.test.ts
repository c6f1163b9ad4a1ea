import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { defineScenario } from "../../src/offline/index.ts";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask } from "../support/monitor-client.ts";
import { startOwnMonitor, type OwnMonitor } from "../support/own-monitor.ts";
import { answer, prompt, toolResult, writeTranscript } from "../support/write-history.ts";

const MAIN = "dist/cli/main.js";
const ELSEWHERE = "http://127.0.0.1:9/leak";
const HOSTILE = [
  "<script>window.hacked = 'script'; alert(1)</script>",
  `<img src="${ELSEWHERE}" onerror="window.hacked='image'"> ![picture](${ELSEWHERE}?markdown)`,
  "[a link](javascript:window.hacked='link') [another](data:text/html,<script>alert(2)</script>) <javascript:alert(3)>",
  "<svg onload=alert(4)> <iframe src='javascript:alert(5)'></iframe> <style>*{display:none}</style>",
  "\u202Eright to left\u202C \u2066isolated \u0000 NUL \u001B[31mred\u001B[0m \uD800 a lone surrogate, مرحبا بالعالم",
  "`${window.hacked = 'template'}` {{window.hacked='braces'}} </textarea><script>alert(6)</script>",
].join("\n\n");
const HUGE_LINE = "wide ".repeat(60_000);

let own: OwnMonitor;
let state: string;
let workspace: string;
const session = "badbad00-0000-4000-8000-000000000001";

beforeAll(async () => {
  own = await startOwnMonitor(
    defineScenario({
      name: "hostile",
      rules: [
        {
          steps: [
            { think: HOSTILE },
            { say: HOSTILE },
            {
              call: {
                tool: "Write",
                input: { file_path: "{{cwd}}/<img src=x onerror=alert(7)>.md", content: HOSTILE },
              },
            },
            { call: { tool: "Write", input: { file_path: "{{cwd}}/wide.txt", content: HUGE_LINE } } },
            { say: `Done. ${HUGE_LINE}` },
          ],
        },
      ],
    }),
  );
  const directory = await own.directory("hostile");
  await recordTurn(directory);
  const place = { sessionId: session, cwd: directory };
  const call = { id: "toolu_1", name: "Bash", input: { command: HOSTILE, description: HOSTILE } };
  writeTranscript(join(own.env["HOME"] ?? "", ".claude/projects/-hostile", `${session}.jsonl`), [
    prompt("u1", HOSTILE, place),
    answer("u2", HOSTILE, { ...place, thinking: HOSTILE, call }),
    toolResult("u3", HOSTILE.repeat(200), { ...place, callId: "toolu_1" }),
    answer("u4", HUGE_LINE, place),
  ]);
  const { workspaces } = (await ask(`${own.monitor.url}/api/workspaces`, own.monitor)).json;
  workspace = workspaces[0].id;
  const { states } = (await ask(`${own.monitor.url}/api/workspaces/${workspace}/states?limit=1`, own.monitor)).json;
  state = states[0].state_id;
}, 120_000);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

/** A turn whose prompt, words and files are all hostile. */
async function recordTurn(directory: string): Promise<void> {
  await writeFile(join(directory, "here.txt"), HOSTILE);
  // An argument of a process can hold no NUL.
  const words = HOSTILE.replaceAll(/\0|\uD800/gu, "");
  const args = [MAIN, "run", words, "--cwd", directory];
  const child = spawn(process.execPath, args, { env: own.env, stdio: "ignore" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the turn ended with ${code}`);
}

/** How long the page takes to draw once more, at worst of some times. */
async function slowestFrameMs(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    let slowest = 0;
    for (let round = 0; round < 20; round += 1) {
      const startedMs = performance.now();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      slowest = Math.max(slowest, performance.now() - startedMs);
    }
    return slowest;
  });
}

describeInBrowser("hostile text", () => {
  it.each([
    ["a recorded turn", () => `/w/${workspace}/states/${state}`],
    ["a recorded turn with all detail", () => `/w/${workspace}/states/${state}`, "all"],
    ["a recorded turn as it came", () => `/w/${workspace}/states/${state}`, "raw"],
    ["the tree", () => `/w/${workspace}/tree?select=${state}`],
    ["files", () => `/w/${workspace}/files?state=${state}`],
    ["a session", () => `/sessions/${session}`],
    ["sessions", () => "/sessions"],
    ["runs", () => "/runs"],
    ["now", () => "/"],
  ])(
    "in %s runs nothing, asks nothing of anywhere, and leaves the page quick",
    async (_, address, level = "simple") => {
      await using visited = await visit(own.monitor, "/");
      const { page, faults } = visited;
      await page.evaluate(
        (value) => localStorage.setItem("skein-setting:timeline-level", JSON.stringify(value)),
        level,
      );
      await page.goto(`${own.monitor.url}${address()}`);
      await page.locator("h1").first().waitFor();
      await expect.poll(async () => await page.locator("main").innerText()).not.toMatch(/\bLoading\b/u);
      expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
      const links = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("a[href], [src], [action], [formaction]")]
          .map((element) => element.getAttribute("href") ?? element.getAttribute("src") ?? "")
          .filter((url) => /^(?:javascript|data:text|vbscript):/iu.test(url.trim())),
      );
      expect(links).toEqual([]);
      expect(await page.locator("script:not([src])").count()).toBe(0);
      // Nothing stalls it: a frame of a busy machine may take long, a page that computes takes seconds.
      expect(await slowestFrameMs(page)).toBeLessThan(1000);
      expect(faults).toEqual([]);
    },
  );
});
