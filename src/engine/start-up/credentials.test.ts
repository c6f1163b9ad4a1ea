import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireCredentials } from "./credentials.ts";

test("a turn in another home than the one with the login is told what to hand over; any credentials will do", async () => {
  const root = await mkdtemp(join(tmpdir(), "skein-login-"));
  const [host, turn] = [{ HOME: join(root, "person") }, { HOME: join(root, "private") }];
  const folder = join(host.HOME, process.platform === "darwin" ? "" : ".claude");
  await mkdir(folder, { recursive: true });
  await expect(requireCredentials(turn, host)).rejects.toMatchObject({ kind: "auth", target: undefined });
  await writeFile(join(folder, process.platform === "darwin" ? ".claude.json" : ".credentials.json"), "{}");
  await expect(requireCredentials(turn, host)).rejects.toMatchObject({
    kind: "auth",
    target: "cli-login",
    hint: expect.stringContaining("claude setup-token"),
  });
  await requireCredentials(host, host);
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"]) {
    await requireCredentials({ ...turn, [name]: "of-a-test" }, host);
  }
  await rm(root, { recursive: true });
});
