import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/** A command that a suite needs and the Debian package that brings it. */
export interface Requirement {
  readonly command: string;
  readonly package: string;
}

/**
 * A suite that needs system packages. Where one is missing it is skipped, with a line that names the package;
 * under `SKEIN_REQUIRE_ALL=1`, as in `.ci/run`, that is a failure.
 */
export function describeWith(required: Requirement | readonly Requirement[], name: string, body: () => void): void {
  const missing = [required].flat().filter(({ command }) => !isOnPath(command));
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  const commands = missing.map(({ command }) => command).join(", ");
  const packages = missing.map((requirement) => requirement.package).join(" ");
  const line = `"${name}" needs ${commands}; install the Debian packages: ${packages}`;
  if (process.env["SKEIN_REQUIRE_ALL"] === "1") throw new Error(line);
  process.stderr.write(`skipped: ${line}\n`);
  describe.skip(name, body);
}

function isOnPath(command: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, command)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
