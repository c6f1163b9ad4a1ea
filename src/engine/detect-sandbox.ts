import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Whether Bash commands can be confined on this machine, and which Debian packages are missing if not. */
export interface SandboxSupport {
  readonly available: boolean;
  readonly missing: readonly string[];
}

const LINUX_TOOLS: readonly (readonly [command: string, packageName: string])[] = [
  ["bwrap", "bubblewrap"],
  ["socat", "socat"],
];

/** Looks for what the CLI's sandbox is made of: on macOS it is part of the system, on Linux two packages. */
export async function detectSandbox(path: string = process.env["PATH"] ?? ""): Promise<SandboxSupport> {
  if (process.platform === "darwin") return { available: true, missing: [] };
  if (process.platform !== "linux") return { available: false, missing: [] };
  const found = await Promise.all(LINUX_TOOLS.map(([command]) => isOnPath(command, path)));
  const missing = LINUX_TOOLS.filter((_, index) => !found[index]).map(([, packageName]) => packageName);
  return { available: missing.length === 0, missing };
}

async function isOnPath(command: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const isThere = await access(join(folder, command), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
