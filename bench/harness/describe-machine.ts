import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";

/** Where and with what it was measured. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  /** Of the folder for temporary files, where all trees of the benches lie. */
  readonly fileSystem: string;
  readonly user: "root" | "ordinary user";
  readonly versions: Readonly<Record<"node" | "git" | "sdk" | "ccusage", string>>;
}

/** The version whose native program all platforms here have. */
export const CCUSAGE = "20.0.24";

/** Looks at the machine and at the programs that are measured. */
export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    processor: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}, kernel ${release()}`,
    fileSystem: ask("df", ["--output=fstype", tmpdir()]).split("\n")[1]?.trim() ?? "unknown",
    user: process.getuid?.() === 0 ? "root" : "ordinary user",
    versions: {
      node: process.version.slice(1),
      git: ask("git", ["--version"]).replace("git version ", "").trim(),
      sdk: sdkVersion(),
      ccusage: CCUSAGE,
    },
  };
}

/** One line for each thing. */
export function machineLines(machine: Machine): readonly string[] {
  const { versions } = machine;
  return [
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GiB; ${machine.system}; ${machine.fileSystem}; ${machine.user}`,
    `Node ${versions.node}, git ${versions.git}, Claude Agent SDK ${versions.sdk}, ccusage ${versions.ccusage}`,
  ];
}

function sdkVersion(): string {
  const path = new URL("package.json", import.meta.resolve("@anthropic-ai/claude-agent-sdk"));
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return version;
}

function ask(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
