import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startReceiver } from "../support/webhook-receiver.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

const alertsIn = async (folder: string, alerts: object): Promise<void> =>
  await writeFile(join(folder, "skein.config.json"), JSON.stringify({ alerts }, undefined, 2));

it("skein config shows where a webhook leads, and nothing that opens it", async () => {
  const [cwd, home] = [await temporaryDirectory(), await temporaryDirectory()];
  await alertsIn(home, {
    costPerDayUsd: 5,
    webhooks: [{ url: "https://hooks.example.org/services/hidden?key=hidden", secretEnv: "HOOK_SECRET" }],
  });
  const place = { cwd, env: { SKEIN_HOME: home, HOOK_SECRET: "hidden" } };
  const { envelope } = await runSkeinJson(["config"], place);
  const { values } = (envelope as { data: { values: { key: string; value: unknown; source: string }[] } }).data;
  expect(values.filter(({ key, source }) => key.startsWith("alerts.") && source !== "default")).toMatchObject([
    { key: "alerts.costPerDayUsd", value: 5, source: "user" },
    { key: "alerts.webhooks", value: [{ url: "https://hooks.example.org/…", secretEnv: "HOOK_SECRET" }] },
  ]);
  const shown = await runSkein(["config"], place);
  expect(shown.stdout).toContain("hooks.example.org/…");
  expect(JSON.stringify(envelope) + shown.stdout + shown.stderr).not.toContain("hidden");
});

it("a workspace that names a webhook is refused, with the line", async () => {
  const [cwd, home] = [await temporaryDirectory(), await temporaryDirectory()];
  await alertsIn(cwd, { webhooks: [{ url: "https://evil.example/collect" }] });
  const place = { cwd, env: { SKEIN_HOME: home } };
  for (const command of [
    ["config", "--check"],
    ["run", "Go", "--offline"],
  ]) {
    expect(await runSkeinJson(command, place)).toMatchObject({
      code: 1,
      envelope: { error: { kind: "config", message: expect.stringContaining(":2:3:") as string } },
    });
  }
});

it("skein alerts test sends to each webhook, and says which did not take it, by the host alone", async () => {
  await using good = await startReceiver();
  await using bad = await startReceiver();
  bad.behave(403);
  const [cwd, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const place = { cwd, env: { SKEIN_HOME: home, HOOK_URL: good.url, HOOK_SECRET: "s" } };
  const test = () => runSkeinJson(["alerts", "test"], place);
  expect(await test()).toMatchObject({ code: 1, envelope: { error: { kind: "config", target: "alerts.webhooks" } } });
  const webhook = { urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET" };
  await alertsIn(home, { webhooks: [webhook] });
  const name = `127.0.0.1:${good.port}`;
  expect(await test()).toMatchObject({ code: 0, envelope: { data: { webhooks: [name] } } });
  expect((await runSkein(["alerts", "test"], place)).stdout).toContain(`${name} took the test`);
  expect(good.received[0]).toMatchObject({
    headers: { "skein-signature": expect.stringMatching(/^sha256=[0-9a-f]{64}$/u) as string },
    json: { type: "test", alert: null, run: null },
  });
  await alertsIn(home, { webhooks: [webhook, { url: bad.url }] });
  const { envelope, stderr } = await test();
  const said = JSON.stringify(envelope) + stderr;
  expect(envelope).toMatchObject({
    error: { kind: "network", message: expect.stringContaining("1 of 2 webhooks") as string },
  });
  expect(said).toContain(`127.0.0.1:${bad.port}: It answered with 403`);
  expect(said).not.toContain("hidden");
});
