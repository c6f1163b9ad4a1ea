import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const reportFile = process.env["SKEIN_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/slow/**", "node_modules/**"],
    globalSetup: "test/global-setup.ts",
    // Nothing of the person who runs the tests is read or changed.
    env: { SKEIN_HOME: join(tmpdir(), "skein-tests") },
    // Tests spawn real processes: forks keep their signals, working directories and environments apart.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `.ci/run` reads the counts from a JSON report, while the command it runs stays the README's.
    reporters: reportFile ? ["default", ["json", { outputFile: reportFile }]] : ["default"],
  },
});
