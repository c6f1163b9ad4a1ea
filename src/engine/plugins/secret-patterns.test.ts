import { describe, expect, it } from "vitest";
import { findSecrets, replaceSecrets, toSecretFinder } from "../secrets/find-secrets.ts";
import { SECRET_PATTERNS } from "../../core/index.ts";

const finders = SECRET_PATTERNS.map(toSecretFinder);
const redact = (text: string): string => replaceSecrets(text, findSecrets(text, finders));
const letters = (length: number): string => "aB3dE6gH9".repeat(30).slice(0, length);
const capitals = (length: number): string => "AB3DE6GH9".repeat(5).slice(0, length);
const keyBody = `\n${letters(64)}\n${letters(64)}\n${letters(20)}==\n`;

/** Put together here, so that no scanner takes this file for a leak. */
const privateKey = ["PRIVATE", "KEY"].join(" ");
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  "private-key": [
    `-----BEGIN ${privateKey}-----${keyBody}-----END PRIVATE KEY-----`,
    `-----BEGIN OPENSSH ${privateKey}-----${keyBody.replaceAll("\n", String.raw`\n`)}-----END OPENSSH PRIVATE KEY-----`,
    `-----BEGIN RSA ${privateKey}-----${keyBody}`.trimEnd(),
  ],
  "anthropic-key": [`sk-ant-api03-${letters(80)}-_AA`],
  "openai-key": [`sk-${letters(48)}`, `sk-proj-${letters(60)}_x-y`],
  "github-token": [`ghp_${letters(36)}`, `github_pat_${letters(22)}_${letters(59)}`],
  "gitlab-token": [`glpat-${letters(20)}`],
  "slack-token": [`xoxb-123456789012-${letters(24)}`, `xapp-1-${letters(20)}`],
  "aws-key-id": [`AKIA${capitals(16)}`, `ASIA${capitals(16)}`],
  "google-key": [`AIza${letters(35)}`, `GOCSPX-${letters(28)}`],
  "stripe-key": [`sk_live_${letters(24)}`, `rk_test_${letters(24)}`, `whsec_${letters(32)}`],
  "npm-token": [`npm_${letters(36)}`],
  "hugging-face-token": [`hf_${letters(34)}`],
  "sendgrid-key": [`SG.${letters(22)}.${letters(43)}`],
  jwt: [`eyJ${letters(30)}.eyJ${letters(80)}.${letters(43)}`],
};

describe("the secret patterns", () => {
  it.each(Object.entries(SAMPLES).flatMap(([name, samples]) => samples.map((sample) => [name, sample] as const)))(
    "find a secret of the kind %s in any surroundings, and nothing of them",
    (name, sample) => {
      for (const [before, after] of [
        ["", ""],
        ["key: ", "."],
        ['{"key":"', '"}'],
        ["(", ")"],
        ["KEY=", "\nNEXT=1"],
      ]) {
        expect(redact(`${before}${sample}${after}`)).toBe(`${before}[redacted ${name}]${after}`);
      }
    },
  );

  it.each([
    [`Authorization: Bearer ${letters(20)}.x=`, "Authorization: Bearer [redacted bearer-token]"],
    [`curl -H "authorization: bearer ${letters(40)}"`, 'curl -H "authorization: bearer [redacted bearer-token]"'],
    ["postgres://app:hunter2!@db.internal:5432/app", "postgres://app:[redacted url-password]@db.internal:5432/app"],
    [`aws_secret_access_key = ${letters(40)}`, "aws_secret_access_key = [redacted aws-secret-key]"],
    [`AWS_SECRET_ACCESS_KEY="${letters(40)}"`, 'AWS_SECRET_ACCESS_KEY="[redacted aws-secret-key]"'],
  ])("find what is secret by its place in %s", (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it.each([
    "The risk-assessment-of-the-whole-project-plan is a task-list-with-a-very-long-name.",
    "The bearer responsibilities were shared; a bearer of good-news-and-of-more.",
    "See http://localhost:8080/path?user=ada@example.org and https://example.org:443/a@b.",
    "Put a line `-----BEGIN PRIVATE KEY-----` at the top. Then go on with the text as it was.",
    "git@github.com:ada/engine.git at 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    "export const MAKIAVELLI = 'AKIA' + suffix; npm_config_cache hf_hub sk-short",
  ])("leave ordinary text as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("leave their own marks alone", () => {
    const text = Object.values(SAMPLES).flat().join(" ");
    expect(redact(redact(text))).toBe(redact(text));
  });

  it("have a name each", () => {
    expect(SECRET_PATTERNS.map(({ name }) => name)).toEqual([
      "private-key",
      "anthropic-key",
      "openai-key",
      "github-token",
      "gitlab-token",
      "slack-token",
      "aws-key-id",
      "aws-secret-key",
      "google-key",
      "stripe-key",
      "npm-token",
      "hugging-face-token",
      "sendgrid-key",
      "jwt",
      "bearer-token",
      "url-password",
    ]);
  });
});
