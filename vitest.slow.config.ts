import config from "./vitest.config.ts";

/** What takes minutes: outages, chaos. `npm run test:slow` runs it, and CI. */
export default {
  ...config,
  test: { ...config.test, include: ["test/slow/**/*.test.ts"], exclude: ["node_modules/**"] },
};
