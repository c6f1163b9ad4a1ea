import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowestFiles } from "./test/support/slowest-files.ts";

/** Rooms whose tests start no process that has to be told from another one's; those that do are called `*.e2e.test.ts`. */
const UNIT = "src/{cli,core,offline,prompt,protocol}/**/!(*.e2e).test.ts";
/** What the page computes, apart from what takes a browser. */
const PAGE = "dashboard/src/**/*.test.ts";
/** Tests in a browser: one worker runs them, so that they share one Chromium and one seeded store. */
const BROWSER = "test/browser/**/*.test.ts";
/** What takes long by its nature: load, chaos, fuzzing. */
export const SLOW = ["test/slow/**/*.test.ts", "{src,test}/**/*.slow.test.ts"];
const LEFT_OUT = [...SLOW, "node_modules/**"];
const REPORTERS = ["default", new SlowestFiles()];
const reportFile = process.env["SKEIN_TEST_REPORT"];

/** What holds for every test. */
export const EVERY_TEST = {
  // Nothing of the person who runs the tests is read or changed.
  env: { SKEIN_HOME: join(tmpdir(), "skein-tests") },
  // A worker loads modules once for all its files: what a test changes for the whole process, it puts back.
  isolate: false,
  setupFiles: ["test/support/leaves-no-trace.ts", "test/support/seed-properties.ts"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A condition is waited for as long as a busy machine may take to bring it about.
  expect: { poll: { timeout: 20_000, interval: 20 } },
};

export default defineConfig({
  test: {
    // Here and not in `EVERY_TEST`, which would make it run once for each project.
    globalSetup: "test/global-setup.ts",
    // Two more than the cores of a small machine: part of the time is waiting, for processes, for the disk and for time limits.
    maxWorkers: 4,
    // `.ci/run` reads the counts from a JSON report, while the command it runs stays the README's.
    reporters: reportFile ? [...REPORTERS, ["json", { outputFile: reportFile }]] : REPORTERS,
    projects: [
      {
        test: {
          ...EVERY_TEST,
          name: "unit",
          pool: "threads",
          include: [UNIT, PAGE],
          exclude: LEFT_OUT,
        },
      },
      {
        test: {
          ...EVERY_TEST,
          name: "real",
          // Real processes: forks keep their signals, working directories and environments apart.
          pool: "forks",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...LEFT_OUT, UNIT, BROWSER],
        },
      },
      {
        test: {
          ...EVERY_TEST,
          name: "browser",
          pool: "forks",
          maxWorkers: 1,
          // After the others: projects with another number of workers have a turn of their own.
          sequence: { groupOrder: 1 },
          include: [BROWSER],
          exclude: LEFT_OUT,
        },
      },
    ],
  },
});
