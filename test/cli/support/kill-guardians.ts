import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Kills the guardians of the hosts that are put down in a folder, so that nobody ends what these leave. */
export async function killGuardians(folder: string): Promise<void> {
  const records = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,args="]);
  for (const record of records) {
    const { mark } = JSON.parse(await readFile(join(folder, record), "utf8")) as { readonly mark: string };
    const line = stdout.split("\n").find((text) => text.includes("skein-guardian") && text.includes(mark));
    process.kill(Number.parseInt(line ?? "", 10), "SIGKILL");
  }
}
