import config from "./vitest.slow.config.ts";

/** Kills each command at a hundred points: `npm run chaos`, for one command `npm run chaos -- -t undo`. */
export default {
  ...config,
  test: {
    ...config.test,
    include: ["test/slow/killed-commands.test.ts"],
    env: { ...config.test.env, SKEIN_CHAOS_KILLS: process.env["SKEIN_CHAOS_KILLS"] ?? "100" },
  },
};
