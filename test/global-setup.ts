import { spawnSync } from "node:child_process";

/** Builds `dist` once before all tests, so that a test which spawns the built command never meets a stale one. */
export function setup(): void {
  const build = spawnSync(process.execPath, ["scripts/build.mjs"], { encoding: "utf8" });
  if (build.status !== 0) throw new Error(`The build failed, so no test was run:\n${build.stdout}${build.stderr}`);
}
