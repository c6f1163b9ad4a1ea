import { describe, expect, test } from "vitest";
import { buildEnv } from "../../engine/index.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { IsolationConfig } from "../isolation-config.ts";
import type { PrivateHome } from "./private-home.ts";

const HOME = { variables: { HOME: "/private", TMPDIR: "/private/tmp" } } as unknown as PrivateHome;

const HOST = {
  HOME: "/home/me",
  PATH: "/usr/bin",
  LC_ALL: "C",
  EDITOR: "vi",
  GITHUB_TOKEN: "t",
  DATABASE_URL: "postgres://me:secret@host",
  AWS_SECRET_ACCESS_KEY: "s",
  AWS_REGION: "eu",
  ANTHROPIC_API_KEY: "host-key",
  CLAUDE_CONFIG_DIR: "/home/me/.claude",
  SSH_AUTH_SOCK: "/run/agent",
};

const OWN = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };

/** What the CLI is really started with. */
function started(options: Parameters<typeof IsolationConfig>[0], more: { host?: object; given?: object } = {}): object {
  const host = { ...HOST, ...more.host };
  const { env } = isolatedEnvironment(IsolationConfig(options), { home: HOME, host, given: { ...more.given } });
  const { CLAUDE_CODE_DISABLE_AUTO_MEMORY: _, CLAUDE_CODE_STARTUP_FAILURE_RESULTS: __, ...rest } = buildEnv(host, env);
  return rest;
}

describe("the environment of an isolated agent", () => {
  test("has the path, the locale and the credentials, and the private home", () => {
    expect(started({})).toEqual({
      ...OWN,
      ...HOME.variables,
      PATH: "/usr/bin",
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "host-key",
    });
  });

  test("has a key that is given as its only credentials", () => {
    const given = {
      ANTHROPIC_API_KEY: "other",
      ANTHROPIC_AUTH_TOKEN: "token",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    };
    expect(started({ apiKey: "given-key" }, { given })).toEqual({
      ...OWN,
      ...HOME.variables,
      PATH: "/usr/bin",
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "given-key",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    });
  });

  test("has a token that is given as its only credentials, whatever an engine has of its own", () => {
    const given = { ANTHROPIC_API_KEY: "other", CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_OAUTH_TOKEN: "theirs" };
    expect(started({ oauthToken: "given-token" }, { given })).toEqual({
      ...OWN,
      ...HOME.variables,
      PATH: "/usr/bin",
      LC_ALL: "C",
      CLAUDE_CODE_OAUTH_TOKEN: "given-token",
    });
    const { env } = isolatedEnvironment(IsolationConfig({ oauthToken: "t" }), { home: HOME, host: {} });
    expect(Object.keys(env)).toEqual(expect.arrayContaining(["ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_VERTEX"]));
  });

  test("has what is harmless of the host if asked for, and what is added before all", () => {
    expect(started({ includeHostEnv: true, env: { PATH: "/opt/bin", MINE: "1" } })).toEqual({
      ...OWN,
      ...HOME.variables,
      PATH: "/opt/bin",
      LC_ALL: "C",
      EDITOR: "vi",
      MINE: "1",
      ANTHROPIC_API_KEY: "host-key",
    });
  });

  test("has no variable of the host that names a secret or is one, if asked for the harmless ones", () => {
    const secrets = {
      MYSQL_PWD: "hunter22",
      DB_PASS: "hunter22",
      GH_PAT: "hunter22",
      SMTP_PASS: "hunter22",
      GPG_PASSPHRASE: "hunter22",
      SLACK_WEBHOOK: "https://hooks.example/T0/B0/x",
      JDBC_CONNECTION_STRING: "jdbc:postgresql://db/app?user=me&password=hunter22",
      DATABASE: "postgres://me:hunter22@db/app",
      SENTRY_DSN: "https://key@sentry/1",
    };
    const harmless = { PAGER: "less", PWD: "/home/me", CI: "true" };
    expect(started({ includeHostEnv: true }, { host: { ...secrets, ...harmless } })).toEqual({
      ...OWN,
      ...HOME.variables,
      ...harmless,
      PATH: "/usr/bin",
      LC_ALL: "C",
      EDITOR: "vi",
      ANTHROPIC_API_KEY: "host-key",
    });
  });

  test("has another provider's credentials only where the host has chosen it", () => {
    expect(started({}, { host: { CLAUDE_CODE_USE_BEDROCK: "1" } })).toMatchObject({
      CLAUDE_CODE_USE_BEDROCK: "1",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_REGION: "eu",
    });
  });

  test("tells which variables commands must not see, there or not", () => {
    const host = { ...HOST, CLAUDE_CODE_USE_BEDROCK: "1" };
    const { secrets } = isolatedEnvironment(IsolationConfig(), { home: HOME, host });
    expect(secrets).toEqual([
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "ANTHROPIC_CUSTOM_HEADERS",
      "AWS_SECRET_ACCESS_KEY",
    ]);
  });
});
