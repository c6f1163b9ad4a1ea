import { realpath } from "node:fs/promises";
import { expect, it } from "vitest";
import { runSkein, spawnSkein, temporaryDirectory, type Finished } from "./support/skein.ts";

/** Without the time, which is another one each time. */
function withoutTime({ code, stdout, stderr }: Finished): Finished {
  return { code, stderr, stdout: stdout.replace(/"timestamp":"[^"]+"/u, "") };
}

it("a command in a warm process answers as one in a process of its own", async () => {
  const options = { cwd: await temporaryDirectory(), env: { HOME: await temporaryDirectory() }, stdin: " \n" };
  for (const args of [
    [],
    ["--version"],
    ["schema", "log"],
    ["status", "--output-format", "json"],
    ["log"],
    ["show", "nowhere", "--output-format", "json"],
    ["run"],
    ["no-such-command"],
  ]) {
    expect([args, withoutTime(await runSkein(args, options))]).toEqual([
      args,
      withoutTime(await spawnSkein(args, options)),
    ]);
  }
});

it("a warm process leaves nothing of a command to the next one", async () => {
  const [one, other] = [await realpath(await temporaryDirectory()), await realpath(await temporaryDirectory())];
  const list = ["list-sessions", "--output-format", "json"];
  await runSkein(["checkpoint", "named"], { cwd: one, env: { HOME: one } });
  const { stdout } = await runSkein(["show", "named"], { cwd: one, env: { HOME: one } });
  expect(stdout).toContain("named");
  const { stdout: elsewhere } = await runSkein(list, { cwd: other, env: { HOME: one } });
  expect(JSON.parse(elsewhere)).toMatchObject({ data: { cwd: other } });
  const { code } = await runSkein(["show", "named"], { cwd: one, env: { HOME: other } });
  expect(code).toBe(1);
});
