import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../define-command.ts";
import { takeDirectory } from "./take-directory.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-take-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

it("tells of workspaces that lie in the one that is taken", async () => {
  const [outer, inner, home] = [join(root, "outer"), join(root, "outer/inner"), join(root, "home")];
  mkdirSync(inner, { recursive: true });
  expect(await noticesIn(outer, home)).toEqual([]);
  expect(await noticesIn(inner, home)).toEqual([]);
  expect(await noticesIn(outer, home)).toEqual([
    `This workspace contains others, and records and restores their files with its own: ${inner}`,
  ]);
});

async function noticesIn(directory: string, home: string): Promise<readonly string[]> {
  const notices: string[] = [];
  const context = { notice: (line: string) => void notices.push(line) } as unknown as CommandContext;
  await using workspace = await Workspace.open(directory, { home });
  await using _ = await takeDirectory(workspace, context);
  return notices;
}
