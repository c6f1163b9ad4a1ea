import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a line did in the shell. */
export interface ShellOutcome {
  /** The programs that were started, each once. */
  readonly programs: ReadonlySet<string>;
  /** The files that it left in its folder. */
  readonly files: readonly string[];
}

/** Programs that start others, which a line may use; each says that it was started, and then does its work. */
const TOOLS = "bash sh env xargs find timeout nice nohup setsid cat tee stdbuf".split(" ");

/** A folder of programs that note that they were started, and a real shell in a sandbox that knows no others. */
export interface CanaryShell extends Disposable {
  /** Runs each line in a folder of its own. */
  run(lines: readonly string[]): readonly ShellOutcome[];
}

/** Makes one. It needs `bwrap`. */
export function createCanaryShell(): CanaryShell {
  const root = mkdtempSync(join(tmpdir(), "skein-canary-"));
  mkdirSync(join(root, "bin"));
  for (const name of ["alpha", "beta", "gamma"]) writeProgram(root, name, "");
  for (const name of TOOLS) {
    const real = execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    writeProgram(root, name, `exec ${real} "$@"\n`);
  }
  writeFileSync(join(root, "driver"), DRIVER);
  return {
    run: (lines) => runLines(root, lines),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function writeProgram(root: string, name: string, body: string): void {
  writeFileSync(join(root, "bin", name), `#!/bin/sh\necho ${name} >> '${root}/run/ran'\n${body}`, { mode: 0o755 });
}

/** Each line has a folder, standard input that is empty, and two seconds. */
const DRIVER = `cd "$1/run" || exit 1
for folder in [0-9]*; do
  : > ran
  (cd "$folder/work" && exec timeout -s KILL 2 env -i PATH="$1/bin" /bin/bash -c "$(cat ../line)
wait") < /dev/null > /dev/null 2>&1
  mv ran "$folder/ran"
done
`;

function runLines(root: string, lines: readonly string[]): readonly ShellOutcome[] {
  const folder = join(root, "run");
  for (const [index, text] of lines.entries()) {
    mkdirSync(join(folder, String(index), "work"), { recursive: true });
    writeFileSync(join(folder, String(index), "line"), text);
  }
  if (lines.length === 0) return [];
  const sandbox = "--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --bind".split(" ");
  execFileSync("bwrap", [...sandbox, folder, folder, "/bin/bash", join(root, "driver"), root], { stdio: "ignore" });
  const outcomes = lines.map((_, index): ShellOutcome => {
    const ran = readFileSync(join(folder, String(index), "ran"), "utf8")
      .split("\n")
      .filter(Boolean);
    return { programs: new Set(ran), files: readdirSync(join(folder, String(index), "work")) };
  });
  rmSync(folder, { recursive: true, force: true });
  return outcomes;
}
