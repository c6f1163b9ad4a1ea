import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { spawnSkein, temporaryDirectory } from "./support/skein.ts";
import { write } from "./support/traced-workspace.ts";

it("tells the turns of a command to the SDK that was loaded into its process", async () => {
  const cwd = await temporaryDirectory();
  const spans = join(await temporaryDirectory(), "spans");
  const env = { NODE_OPTIONS: `--import ${pathToFileURL("test/support/telemetry-host.mjs").href}`, SPANS: spans };
  const { code, stderr } = await spawnSkein(["run", write("made.txt", "content"), "--offline", "direct"], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((await readFile(spans, "utf8")).split("\n")).toEqual([
    expect.stringMatching(/^chat /),
    "execute_tool Write",
    expect.stringMatching(/^chat /),
    "invoke_agent claude-code",
    "",
  ]);
});
