import { expect, test } from "vitest";
import { isSecretName, secretVariables } from "./secret-variables.ts";

const SECRET =
  "MYSQL_PWD DB_PASS GH_PAT SMTP_PASS GPG_PASSPHRASE SLACK_WEBHOOK JDBC_CONNECTION_STRING AZURE_STORAGE_CONN_STR ANTHROPIC_API_KEY " +
  "ANTHROPIC_CUSTOM_HEADERS AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID GOOGLE_APPLICATION_CREDENTIALS PGPASSWORD SSHPASS dbPassword " +
  "npm_config__authToken NPM_TOKEN HFTOKEN API_KEY_2 PASSWORD1 STRIPE_APIKEY SENTRY_DSN COOKIE_JAR AUTH HTTP_AUTHORIZATION SSH_AUTH_SOCK jwtSecret " +
  "VAULT_CREDS github.token SECRET-THING SIGNING_PEM OAUTH2_CLIENT TWILIO_AUTH MASTERKEY";

const HARMLESS =
  "PATH HOME PWD OLDPWD EDITOR LANG LC_ALL TERM SHELL KEYBOARD MONKEY COMPASS_VERSION BYPASS PASSENGER TOKENIZER_PARALLELISM AUTHOR GIT_AUTHOR_NAME " +
  "NODE_OPTIONS CI BUILD_NUMBER JAVA_HOME XDG_DATA_HOME TURKEY PATTERN PATIENCE SECRETARY AWS_REGION AWS_PROFILE DISPLAY";

test.each(SECRET.split(" "))("%s names a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each(HARMLESS.split(" "))("%s names none", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test("a variable is secret by its value too, whatever its name, but a proxy's address is not", () => {
  const env = {
    DATABASE: "postgres://me:hunter22@db/app",
    DEPLOY: `ghp_${"a1B2".repeat(10)}`,
    SIGNER: ["-----BEGIN OPENSSH PRIVATE", "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU="].join(" "),
    HTTPS_PROXY: "http://me:hunter22@proxy:3128",
    PAGE: "https://example.com/a",
    GONE_TOKEN: undefined,
  };
  expect(secretVariables(env)).toEqual(["DATABASE", "DEPLOY", "SIGNER"]);
});
