import config from "./vitest.config.ts";

const { projects: _, ...test } = config.test ?? {};

/** What takes minutes: outages, chaos, properties at full strength. `npm run test:slow` runs it, and CI. */
export default {
  ...config,
  test: {
    ...test,
    include: ["test/slow/**/*.test.ts", "{src,test}/**/*.property.test.ts"],
    exclude: ["node_modules/**"],
    env: { ...test.env, SKEIN_ALL_PROPERTY_RUNS: "1" },
    pool: "forks",
    isolate: true,
    maxWorkers: 2,
  },
};
