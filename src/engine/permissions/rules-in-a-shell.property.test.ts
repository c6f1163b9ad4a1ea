import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { PermissionRequest } from "./permission-policy.ts";
import { allowRules, denyRules } from "./rule-policies.ts";

let root = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "skein-shell-"));
  for (const folder of ["bin", "work"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "bin/alpha"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(root, "bin/beta"), `#!/bin/sh\n: > '${root}/mark'\n`, { mode: 0o755 });
});

afterAll(() => rmSync(root, { recursive: true }));

const signal = new AbortController().signal;
const request = (tool: string, input: Record<string, unknown>): PermissionRequest => ({
  tool,
  input,
  toolUseId: "1",
  signal,
});

describe("in a real shell", () => {
  /** Ways to hide a line in another, some of which run it and some of which do not. */
  const wraps: readonly ((inner: string) => string)[] = [
    (inner) => `alpha $(${inner})`,
    (inner) => `alpha "$(${inner})"`,
    (inner) => `alpha \`${inner}\``,
    (inner) => `alpha '${inner}'`,
    (inner) => `alpha "${inner}"`,
    (inner) => `(${inner})`,
    (inner) => `{ ${inner}; }`,
    (inner) => `! ${inner}`,
    (inner) => `if alpha; then ${inner}; fi`,
    (inner) => `eval '${inner}'`,
    (inner) => `exec ${inner}`,
    (inner) => `X=1 ${inner}`,
    (inner) => `alpha \${X:-$(${inner})}`,
    (inner) => `alpha <(${inner})`,
    (inner) => `alpha <<'E'\n${inner}\nE\n`,
    (inner) => `alpha <<E\n${inner}\nE\n`,
    (inner) => `alpha # ${inner}`,
    (inner) => `alpha \\${inner}`,
    (inner) => `f() { ${inner}; }; f`,
  ];
  const glue = fc.constantFrom(" && ", "; ", "\n", " | ", " || ", " & ", " ");
  const { line } = fc.letrec<{ line: string }>((tie) => ({
    line: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("alpha", "beta", "alpha x", "X=beta; $X", "'beta'", "be\\ta"),
      fc.tuple(tie("line"), glue, tie("line")).map((parts) => parts.join("")),
      fc.tuple(tie("line"), fc.constantFrom(...wraps)).map(([inner, wrap]) => wrap(inner)),
    ),
  }));
  /** Most lines as they are; some with a character lost, which turns quotes and parentheses around. */
  const broken = fc
    .tuple(line, fc.option(fc.nat({ max: 60 })))
    .map(([text, at]) => (at === null ? text : text.slice(0, at) + text.slice(at + 1)));

  /** Runs a line where only `alpha` and `beta` exist, and says whether `beta` was started. */
  function startsBeta(command: string): boolean {
    const [bin, mark] = [join(root, "bin"), join(root, "mark")];
    rmSync(mark, { force: true });
    try {
      execFileSync("/bin/bash", ["-c", `${command}\nwait`], {
        cwd: join(root, "work"),
        env: { PATH: bin },
        stdio: "ignore",
        timeout: 5000,
      });
    } catch {
      // Most random lines end badly, after or before something was started.
    }
    return existsSync(mark);
  }

  it("no line that is allowed starts an unlisted command", { timeout: 60_000 }, async () => {
    const policy = allowRules(["Bash(alpha:*)"]);
    await fc.assert(
      fc.asyncProperty(broken, async (command) => {
        const { type } = await policy(request("Bash", { command }));
        expect(type === "allow" && startsBeta(command)).toBe(false);
      }),
      { numRuns: propertyRuns({ few: 100, all: 500 }) },
    );
  });

  it("no line that starts a denied command gets past its rule", { timeout: 60_000 }, async () => {
    const policy = denyRules(["Bash(beta:*)"]);
    await fc.assert(
      fc.asyncProperty(broken, async (command) => {
        const { type } = await policy(request("Bash", { command }));
        expect(type === "pass" && startsBeta(command)).toBe(false);
      }),
      { numRuns: propertyRuns({ few: 50, all: 200 }) },
    );
  });
});
