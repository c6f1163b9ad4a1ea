import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bash } from "../support/direct-script.ts";
import { runSkeinJson } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

interface Explored {
  readonly branches: readonly { readonly reward: { readonly value: number } | null }[];
  readonly own_path_reason: string | null;
  readonly not_carried: readonly { readonly path: string; readonly reason: string; readonly size_bytes: number }[];
  readonly not_carried_count: number;
}

it("explore lists once what branches lack, and --carry gives it to them", { timeout: 120_000 }, async () => {
  const { cwd, home } = await tracedWorkspace();
  await mkdir(join(cwd, "data"));
  await mkdir(join(cwd, "node_modules/pkg"), { recursive: true });
  await writeFile(join(cwd, ".gitignore"), "data/\n");
  for (const path of [".env", "data/x.csv", "data/y.txt", "model.bin"]) await writeFile(join(cwd, path), "1");
  await truncate(join(cwd, "model.bin"), 60_000_000);
  const explore = async (
    ...flags: readonly string[]
  ): Promise<{ readonly data: Explored; readonly stderr: string }> => {
    const reward = "test -d node_modules/pkg -a -e .env -a -e data/x.csv -a -s model.bin -a ! -e data/y.txt";
    const agent = ["--prompt", bash("touch made"), "--offline", "direct", "--allowed-tools", "Bash"];
    const args = ["explore", ...agent, "--reward", reward, ...flags];
    const { code, envelope, stderr } = await runSkeinJson(args, { cwd, env: { SKEIN_HOME: home } });
    expect(code).toBe(0);
    return { data: envelope["data"] as Explored, stderr };
  };

  const first = await explore();
  expect(first.stderr).toContain("Not on branches, because states leave it out: .env, data, model.bin. Use --carry");
  expect(first.data).toMatchObject({
    branches: [{ reward: { value: 0 } }],
    not_carried: [
      { path: ".env", reason: "secret", size_bytes: 1 },
      { path: "data", reason: "ignored", size_bytes: 0 },
      { path: "model.bin", reason: "too-large", size_bytes: 60_000_000 },
    ],
    not_carried_count: 3,
  });

  const patterns = [".env", "data/*.csv", "model.*", "nothing"].flatMap((pattern) => ["--carry", pattern]);
  const second = await explore(...patterns);
  expect(second.stderr).not.toContain("Not on branches");
  expect(second.stderr).toContain("--carry nothing matches nothing that branches would lack");
  expect(second.data).toMatchObject({ branches: [{ reward: { value: 1 } }], not_carried: [{ path: "data" }] });
});
