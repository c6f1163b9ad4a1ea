import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { forgetBranch, place } from "./repository.ts";

function noteOf(directory: string): { readonly data: string; readonly folder: string } {
  const data = mkdtempSync(join(tmpdir(), "skein-note-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const { home: folder } = place(data, directory);
  mkdirSync(folder, { recursive: true });
  return { data, folder };
}

it("forgets a branch whose process was killed while it wrote the note on it", async () => {
  const { data, folder } = noteOf("/branches/1/merged");
  writeFileSync(join(folder, "workspace.json.new-1"), "{");
  await forgetBranch("/branches/1/merged", data);
  expect(existsSync(folder)).toBe(false);
});

it("keeps what is no note on a branch: a store without its description, and a description of a workspace", async () => {
  const { data, folder } = noteOf("/app");
  mkdirSync(join(folder, "store.git"));
  writeFileSync(join(folder, "store.git", "config"), "");
  await forgetBranch("/app", data);
  expect(existsSync(folder)).toBe(true);
  rmSync(join(folder, "store.git"), { recursive: true });
  writeFileSync(join(folder, "workspace.json"), JSON.stringify({ version: 1, path: "/app", createdAt: "2026-11-16" }));
  await forgetBranch("/app", data);
  expect(existsSync(folder)).toBe(true);
});
