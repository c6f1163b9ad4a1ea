import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyMount } from "./copy-mount.ts";
import { checkMounts, HostMount } from "./host-mount.ts";

let root: string;
let host: string;
let work: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-mount-")));
  [host, work] = [join(root, "repo"), join(root, "work")];
  await mkdir(work);
  await put("a.py", "a");
  await put("__pycache__/a.pyc", "top");
  await put("lib/b.py", "bb");
  await put("lib/__pycache__/b.pyc", "deep");
  await put(".git/config", "git");
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("a mount", () => {
  test("is copied whole, with a preview of what was copied", async () => {
    await chmod(join(host, "a.py"), 0o755);
    const preview = await copyMount(HostMount({ hostPath: host }), work);
    expect(preview).toEqual({
      hostPath: host,
      resolvedHost: host,
      mountPath: "repo",
      isDirectory: true,
      entries: [".git/config", "__pycache__/a.pyc", "a.py", "lib/__pycache__/b.pyc", "lib/b.py"],
      fileCount: 5,
      bytesCopied: 13,
    });
    expect(await readFile(join(work, "repo/lib/b.py"), "utf8")).toBe("bb");
    expect((await stat(join(work, "repo/a.py"))).mode & 0o777).toBe(0o755);
  });

  test("of one file is that file", async () => {
    const preview = await copyMount(HostMount({ hostPath: join(host, "a.py"), mountPath: "in/x.py" }), work);
    expect(preview).toMatchObject({ isDirectory: false, entries: ["in/x.py"], bytesCopied: 1 });
    expect(await readFile(join(work, "in/x.py"), "utf8")).toBe("a");
  });

  test.each([
    [["__pycache__/**"], [".git/config", "a.py", "lib/__pycache__/b.pyc", "lib/b.py"]],
    [["**/__pycache__/**"], [".git/config", "a.py", "lib/b.py"]],
    [["__pycache__"], [".git/config", "a.py", "lib/b.py"]],
    [
      ["__pycache__/", ".git/*"],
      ["a.py", "lib/b.py"],
    ],
    [
      ["*.pyc", ".git"],
      ["a.py", "lib/b.py"],
    ],
    [["lib/*.py"], [".git/config", "__pycache__/a.pyc", "a.py", "lib/__pycache__/b.pyc"]],
    [["**"], []],
  ])("leaves out what %j names", async (excludeGlob, entries) => {
    expect((await copyMount(HostMount({ hostPath: host, excludeGlob }), work)).entries).toEqual(entries);
  });

  test("takes only what is included, and leaves out what is excluded of it", async () => {
    const mount = HostMount({ hostPath: host, includeGlob: ["*.py", "lib"], excludeGlob: ["*.pyc"] });
    expect((await copyMount(mount, work)).entries).toEqual(["a.py", "lib/b.py"]);
  });

  test("does not look into what is excluded", async () => {
    // A name that leads nowhere stops whoever follows links here.
    await put("node_modules/deep/x.js", "x");
    await symlink("missing", join(host, "node_modules/deep/broken"));
    const mount = HostMount({ hostPath: host, excludeGlob: ["node_modules"], followSymlinks: true });
    expect((await copyMount(mount, work)).fileCount).toBe(5);
    await expect(readdir(join(work, "repo/node_modules"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("ends when it is larger than it may be, before the file that is too much is copied", async () => {
    const copying = copyMount(HostMount({ hostPath: host, maxBytes: 12 }), work);
    await expect(copying).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk", target: host });
    await expect(stat(join(work, "repo/lib/b.py"))).rejects.toMatchObject({ code: "ENOENT" });
    expect((await copyMount(HostMount({ hostPath: host, mountPath: "fits", maxBytes: 13 }), work)).bytesCopied).toBe(
      13,
    );
  });

  test("leaves links out, or copies what they lead to inside of it", async () => {
    await symlink("a.py", join(host, "link.py"));
    await symlink("..", join(host, "lib/up"));
    expect((await copyMount(HostMount({ hostPath: host, mountPath: "without" }), work)).fileCount).toBe(5);
    const { entries } = await copyMount(HostMount({ hostPath: host, mountPath: "with", followSymlinks: true }), work);
    expect(entries).toEqual([
      ".git/config",
      "__pycache__/a.pyc",
      "a.py",
      "lib/__pycache__/b.pyc",
      "lib/b.py",
      "link.py",
    ]);
    expect(await readFile(join(work, "with/link.py"), "utf8")).toBe("a");
  });

  test("refuses a link that leads out", async () => {
    await writeFile(join(root, "secret"), "secret");
    await symlink("../../secret", join(host, "lib/out"));
    const copying = copyMount(HostMount({ hostPath: host, followSymlinks: true }), work);
    await expect(copying).rejects.toMatchObject({ kind: "policy", target: join(root, "secret") });
  });
});

describe("before anything is copied, a mount is refused", () => {
  test.each(["../out", "/abs", "a/../../b", ""])("with a place outside of the workspace: %j", (mountPath) => {
    expect(() => HostMount({ hostPath: host, mountPath })).toThrow(
      expect.objectContaining({ kind: "usage", target: "HostMount.mountPath" }),
    );
  });

  test("outside of the allowed roots, through a link too", async () => {
    await symlink("/etc", join(host, "etc"));
    const [inside, outside, linked] = [host, "/etc", join(host, "etc/ssl")].map((hostPath) => HostMount({ hostPath }));
    await checkMounts([inside!], [root]);
    await expect(checkMounts([outside!], [root])).rejects.toMatchObject({ kind: "policy", target: "/etc" });
    await expect(checkMounts([linked!], [root])).rejects.toMatchObject({ kind: "policy" });
    await expect(checkMounts([inside!], [join(root, "re")])).rejects.toMatchObject({ kind: "filesystem" });
  });

  test("that is a link itself, is not there, or lies in another", async () => {
    await symlink("repo", join(root, "link"));
    const link = join(root, "link");
    await expect(checkMounts([HostMount({ hostPath: link })], [])).rejects.toMatchObject({ kind: "policy" });
    await checkMounts([HostMount({ hostPath: link, followSymlinks: true })], [root]);
    await expect(checkMounts([HostMount({ hostPath: join(root, "no") })], [])).rejects.toMatchObject({
      kind: "filesystem",
    });
    const twice = [HostMount({ hostPath: host }), HostMount({ hostPath: host, mountPath: "repo/lib" })];
    await expect(checkMounts(twice, [])).rejects.toMatchObject({ kind: "usage", target: "repo/lib" });
  });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(host, path)), { recursive: true });
  await writeFile(join(host, path), text);
}
