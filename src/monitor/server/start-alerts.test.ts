import { expect, it } from "vitest";
import { withoutSecrets } from "./start-alerts.ts";

it("a server gives the runs that it starts none of the secrets of its webhooks", () => {
  const env = { PATH: "/bin", SLACK_URL: "u", HOOK_SECRET: "s", OTHER: "o" };
  const webhooks = [{ urlEnv: "SLACK_URL" }, { url: "https://example.org", secretEnv: "HOOK_SECRET" }];
  expect(withoutSecrets(env, { webhooks })).toEqual({ PATH: "/bin", OTHER: "o" });
  expect(withoutSecrets(env)).toEqual(env);
});
