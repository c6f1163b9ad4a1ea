import config, { EVERY_TEST, SLOW } from "./vitest.config.ts";

const { projects: _, ...test } = config.test ?? {};

/** What takes minutes: outages, chaos, properties with all their runs. `npm run test:slow` runs it, and CI. */
export default {
  test: {
    ...test,
    ...EVERY_TEST,
    include: [...SLOW, "{src,test}/**/*.property.test.ts"],
    exclude: ["node_modules/**"],
    env: { ...EVERY_TEST.env, SKEIN_ALL_PROPERTY_RUNS: "1" },
    pool: "forks",
    isolate: true,
    maxWorkers: 2,
  },
};
