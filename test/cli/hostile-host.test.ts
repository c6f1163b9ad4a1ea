import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";

it("runs no program that a machine names by the directory that it says it has", async () => {
  const root = await temporaryDirectory();
  const marker = join(root, "marker");
  const programs = join(root, "bin");
  await mkdir(programs);
  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(programs, name), 0o755);
  };
  // Git takes HOST::ADDRESS for what git-remote-HOST understands.
  await program("git-remote-helper", `echo "$@" >> ${marker}; exit 1`);
  const env = { PATH: `${programs}:${process.env["PATH"] ?? ""}` };
  for (const said of [":address", ":/address", "relative", "--upload-pack=x", ""]) {
    await program("ssh", `echo ${said}`);
    const { envelope } = await runSkeinJson(["ssh-mode", "helper", "x", "--offline"], { env });
    expect(envelope).toMatchObject({ error: { target: "helper" } });
    expect([said, existsSync(marker)]).toEqual([said, false]);
  }
});
