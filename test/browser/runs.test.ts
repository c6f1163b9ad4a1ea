import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineScenario } from "../../src/offline/index.ts";
import { startSkein } from "../cli/support/skein.ts";
import { describeInBrowser, visit } from "../support/browser.ts";
import { startOwnMonitor, type OwnMonitor } from "../support/own-monitor.ts";

/** Long enough to be seen while it is written. */
const HAIKU = "First words of the answer. ".padEnd(400, "More of it follows. ").concat("Last words of the answer.");

const scenario = defineScenario({
  name: "page",
  rules: [
    {
      when: { prompt: "haiku" },
      steps: [
        { call: { tool: "Write", input: { file_path: "{{cwd}}/haiku.txt", content: "an old silent pond\n" } } },
        { fail: { type: "drip", tokensPerSecond: 60 } },
        { say: HAIKU },
      ],
    },
  ],
});

let own: OwnMonitor;

beforeAll(async () => {
  own = await startOwnMonitor(scenario);
}, 60_000);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

describeInBrowser("runs on the page", () => {
  it("are started there, stream, and end in the record; what was written for them survives a reload", async () => {
    const directory = await own.directory("poems");
    await using visited = await visit(own.monitor, "/");
    const { page, faults } = visited;
    await page.keyboard.press("n");
    await page.getByLabel("Directory").fill(directory);
    await page.getByLabel("Prompt").fill("Write a haiku");
    await page.reload();
    await expect.poll(() => page.getByLabel("Prompt").inputValue()).toBe("Write a haiku");
    expect(await page.getByLabel("Directory").inputValue()).toBe(directory);
    await page.getByLabel("Prompt").press("Control+Enter");
    await page.waitForURL(/\/runs\/[^?]+$/u);
    const timeline = page.getByRole("main");
    await timeline
      .getByText(/First words of the answer/u)
      .first()
      .waitFor();
    expect(await timeline.innerText()).not.toContain("Last words of the answer");
    await timeline
      .getByText(/Last words of the answer/u)
      .first()
      .waitFor();
    await expect.poll(async () => await timeline.innerText()).toContain("haiku.txt");
    expect(await readFile(join(directory, "haiku.txt"), "utf8")).toBe("an old silent pond\n");
    await page.goto(own.monitor.url);
    await page.getByRole("main").getByText("Write a haiku").first().waitFor();
    expect(faults).toEqual([]);
  });

  it("ask there: one call is allowed, one is denied with a reason, a question is answered, all by keyboard and mouse", async () => {
    const [first, second, third] = await Promise.all(["one", "two", "three"].map(own.directory));
    const outside = (name: string): string => join(first ?? "", "..", `${name}.txt`);
    const write = (name: string): string => `Write ${JSON.stringify({ file_path: outside(name), content: name })}`;
    const options = ["Red", "Blue"].map((label) => ({ label, description: `Paint it ${label}` }));
    const question = { question: "Which colour?", header: "Colour", multiSelect: false, options };
    const run = async (directory: string | undefined, prompt: string) =>
      await startSkein(["run", prompt, "--offline", "direct", "--ask", "remote", "--cwd", directory ?? "", "--json"], {
        env: own.env,
      });
    await using visited = await visit(own.monitor, "/");
    const { page, faults } = visited;
    const allowed = await run(first, `${write("allowed")}\nsay Done.`);
    await page
      .getByRole("article", { name: /allowed\.txt|Write/u })
      .first()
      .waitFor();
    const denied = await run(second, `${write("denied")}\nsay Done.`);
    await expect.poll(() => page.getByRole("button", { name: /^Allow once/u }).count()).toBe(2);
    await page
      .getByRole("button", { name: /^Deny…/u })
      .last()
      .click();
    await page.getByRole("textbox", { name: /Why not/u }).fill("Not outside of the folder");
    await page.keyboard.press("Enter");
    const { data } = JSON.parse((await denied.finished).stdout) as { readonly data: Record<string, unknown> };
    expect(data["permission_denials"]).toMatchObject([{ tool: "Write" }]);
    // What a key means is only taken once the question has been there to read.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return allowed.child.exitCode;
      })
      .toBe(0);
    expect(await readFile(outside("allowed"), "utf8")).toBe("allowed");
    await expect(readFile(outside("denied"))).rejects.toMatchObject({ code: "ENOENT" });
    const asking = await run(third, `AskUserQuestion ${JSON.stringify({ questions: [question] })}\nsay Painted.`);
    await page.getByRole("radio", { name: /Blue/u }).check();
    await page.getByRole("button", { name: /^Send the answer/u }).click();
    const answered = await asking.finished;
    expect(answered.code).toBe(0);
    const { runs } = (await page.evaluate(async () => await (await fetch("/api/runs?limit=1")).json())) as {
      readonly runs: readonly { readonly run: string }[];
    };
    const events = await page.evaluate(
      async (id) => await (await fetch(`/api/runs/${id}/events`)).text(),
      runs[0]?.run ?? "",
    );
    expect(events).toContain('"answers":{"Which colour?":"Blue"}');
    expect(faults).toEqual([]);
  });
});
