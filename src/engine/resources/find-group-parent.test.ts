import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findGroupParent } from "./memory-group.ts";
import { readMounts } from "./mount-table.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-groups-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

test.runIf(process.platform === "linux")("this machine's own groups are found where they are mounted", async () => {
  const found = await findGroupParent();
  const mounts = (await readMounts("self")).filter(({ type }) => type.startsWith("cgroup"));
  expect(found === undefined || mounts.some(({ path }) => found.path.startsWith(path))).toBe(true);
});

test.runIf(process.platform === "linux")(
  "a version 2 of this machine that hands no memory down gives none",
  async () => {
    const mounts = (await readMounts("self")).filter(({ type }) => type === "cgroup2");
    const handed = await Promise.all(mounts.map(({ path }) => readHanded(path)));
    const found = await findGroupParent({ memberships: "0::/\n", mounts });
    expect(found === undefined || handed.join(" ").includes("memory")).toBe(true);
  },
);

/** Version 2 as systemd lays it out for a user, with files in the place of the kernel's: no machine has every shape of it. */
test.runIf(process.platform === "linux").each([
  ["the nearest one above that hands memory down", { "user/app": "" }, "user"],
  ["none where a limit on the way would be left behind", { "user/app": "1000000" }, undefined],
  ["its own where that hands memory down", { "user/app": "hands" }, "user/app"],
])("of version 2 it takes %s", async (_, shape, expected) => {
  for (const [group, setting] of Object.entries({ "": "", user: "hands", ...shape })) {
    await mkdir(join(root, group), { recursive: true });
    await writeFile(join(root, group, "cgroup.subtree_control"), setting === "hands" ? "cpu memory pids\n" : "cpu\n");
    await writeFile(join(root, group, "memory.max"), /^\d/u.test(setting) ? `${setting}\n` : "max\n");
  }
  const mounts = [{ device: "0:99", root: "/", path: root, type: "cgroup2", options: ["rw"] }];
  const found = await findGroupParent({ memberships: "0::/user/app\n", mounts });
  expect(found).toEqual(expected === undefined ? undefined : { path: join(root, expected), version: "cgroup-v2" });
});

test.runIf(process.platform === "linux")(
  "in a container the group is below what is mounted, and a group outside of it is none of ours",
  async () => {
    const mounts = [{ device: "0:99", root: "/docker/x", path: root, type: "cgroup", options: ["rw", "memory"] }];
    expect(await findGroupParent({ memberships: "4:memory:/docker/x/job\n", mounts })).toEqual({
      path: join(root, "job"),
      version: "cgroup-v1",
    });
    expect(await findGroupParent({ memberships: "4:memory:/docker/xy\n", mounts })).toBeUndefined();
  },
);

async function readHanded(path: string): Promise<string> {
  return await readFile(join(path, "cgroup.subtree_control"), "utf8").catch(() => "");
}
