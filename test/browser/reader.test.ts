import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineScenario } from "../../src/offline/index.ts";
import { describeInBrowser, visit } from "../support/browser.ts";
import { ask } from "../support/monitor-client.ts";
import { startOwnMonitor, type OwnMonitor } from "../support/own-monitor.ts";
import { answer, prompt, writeTranscript } from "../support/write-history.ts";

const MAIN = "dist/cli/main.js";
const LONG = "10000000-0000-4000-8000-000000000001";
const MESSAGES = 600;

let own: OwnMonitor;
let state: string;
let workspace: string;

beforeAll(async () => {
  own = await startOwnMonitor(
    defineScenario({
      name: "edits",
      rules: [
        {
          steps: [
            { call: { tool: "Read", input: { file_path: "{{cwd}}/a.txt" } } },
            { call: { tool: "Edit", input: { file_path: "{{cwd}}/a.txt", old_string: "one", new_string: "two" } } },
            { call: { tool: "Write", input: { file_path: "{{cwd}}/b.txt", content: "three\n" } } },
            { say: "Done." },
          ],
        },
      ],
    }),
  );
  const directory = await own.directory("project");
  await writeFile(join(directory, "a.txt"), "one\n");
  const args = [MAIN, "run", "Change the files", "--cwd", directory, "--permission-mode", "acceptEdits"];
  const child = spawn(process.execPath, args, { env: own.env, stdio: "ignore" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the turn ended with ${code}`);
  const place = { sessionId: LONG, cwd: directory };
  const pairs = Array.from({ length: MESSAGES / 2 }, (_, at) => [
    prompt(`p${at}`, `Prompt ${at}${at === 7 ? " with a needle" : ""}`, place),
    answer(`a${at}`, `Answer ${at}`, place),
  ]);
  writeTranscript(join(own.env["HOME"] ?? "", ".claude/projects/-long", `${LONG}.jsonl`), pairs.flat());
  const { workspaces } = (await ask(`${own.monitor.url}/api/workspaces`, own.monitor)).json;
  workspace = workspaces[0].id;
  const { states } = (await ask(`${own.monitor.url}/api/workspaces/${workspace}/states?limit=1`, own.monitor)).json;
  state = states[0].state_id;
}, 120_000);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

describeInBrowser("the reader", () => {
  it("shows the whole of a message that the server cut, once it is asked for", async () => {
    const session = "10000000-0000-4000-8000-000000000002";
    const file = join(own.env["HOME"] ?? "", ".claude/projects/-cut", `${session}.jsonl`);
    const place = { sessionId: session, cwd: await own.directory("cut") };
    const text = `Begin\n\n${"words and words ".repeat(20_000)}\n\nTHE-VERY-END`;
    writeTranscript(file, [prompt("c1", "Be long", place), answer("c2", text, place)]);
    await using visited = await visit(own.monitor, `/sessions/${session}`);
    const { page, faults } = visited;
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("button", { name: "Show whole" }).click();
    await timeline.getByRole("button", { name: "Show whole" }).waitFor({ state: "detached" });
    await timeline.getByRole("button", { name: /^Show all,/u }).click();
    await timeline.getByText("THE-VERY-END").waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it("opens a session at its end, and brings what is before as it is scrolled to", async () => {
    await using visited = await visit(own.monitor, `/sessions/${LONG}`);
    const { page, faults } = visited;
    const timeline = page.getByRole("region", { name: "Timeline", exact: true });
    await page.getByText(`Answer ${MESSAGES / 2 - 1}`, { exact: true }).waitFor();
    expect(await page.getByText("Answer 100", { exact: true }).count()).toBe(0);
    await timeline.hover();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -4000);
        return await page.getByText("Prompt 0", { exact: true }).count();
      })
      .toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it("leads to the message that holds the words, far from the end", async () => {
    await using visited = await visit(own.monitor, `/sessions/${LONG}`);
    const { page } = visited;
    // Before the session is there a key finds nothing in it.
    await page.getByRole("region", { name: "Timeline" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await page.getByText("–/1").waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${own.monitor.url}/sessions?words=needle`);
    await page.getByRole("link", { name: /with a needle/u }).click();
    await page.getByText("Prompt 7 with a needle").waitFor();
    await page.getByText("1/1").waitFor();
  });

  it("pins a session, and lists it among those that are pinned", async () => {
    await using visited = await visit(own.monitor, `/sessions/${LONG}`);
    const { page } = visited;
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    await page.goto(`${own.monitor.url}/sessions?show=pinned`);
    await page.getByRole("listitem").getByText("Prompt 0").waitFor();
    expect(await page.getByRole("listitem").count()).toBe(1);
  });
});

describeInBrowser("the replay of a turn", () => {
  it("rebuilds files edit by edit, says so, and ends with what was recorded", async () => {
    await using visited = await visit(own.monitor, `/w/${workspace}/states/${state}?step=1`);
    const { page, faults } = visited;
    const files = page.getByRole("tabpanel", { name: "Files" });
    await files.getByText("Rebuilt from the edits of file tools").waitFor();
    await files.getByText("No file is different").waitFor();
    await page.keyboard.press(".");
    await files.getByText("1 file changed").waitFor();
    expect(await files.getByText("a.txt").count()).toBeGreaterThan(0);
    expect(await files.getByText("b.txt").count()).toBe(0);
    await page.keyboard.press(".");
    await files.getByText("2 files changed").waitFor();
    await expect.poll(async () => await files.getByText("Rebuilt").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
