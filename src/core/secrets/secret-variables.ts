import { API_CREDENTIALS, type Variables } from "./api-variables.ts";
import { SECRET_PATTERNS } from "./secret-patterns.ts";

/** Words that name a secret, as a part of a name by itself: `DB_PASS`, `GH_PAT`, `dbPassword`. */
const WORDS = new Set(
  (
    "APIKEY AUTH AUTHORIZATION BEARER COOKIE COOKIES CRED CREDENTIAL CREDENTIALS CREDS DSN HMAC JWT KEY KEYS OAUTH OTP PASS " +
    "PASSPHRASE PASSWD PASSWORD PASSWORDS PAT PEM PSK PW PWD SECRET SECRETS SIGNING TOKEN TOKENS WEBHOOK " +
    "WEBHOOKS CONNSTR CONNSTRING"
  ).split(" "),
);

/** The same where they are written together with the word before: `PGPASSWORD`, `MYSQLPWD`, `HFTOKEN`. */
const ENDINGS =
  /(?:PASSW(?:OR)?D|PASSPHRASE|SSHPASS|PGPASS|PWD|TOKEN|SECRET|CREDENTIALS?|(?:API|ACCESS|ACCOUNT|AUTH|MASTER|PRIVATE|SECRET|SIGNING|SSH)KEY)$/u;

/** Names that a part of them would give away, and that hold no secret. */
const HARMLESS = new Set(["PWD", "OLDPWD"]);

/** A variable by which connections are described: `JDBC_CONNECTION_STRING`, `AZURE_STORAGE_CONN_STR`. */
const CONNECTION = /CONN(?:ECT(?:ION)?)?_?STR(?:ING)?/u;

export function isSecretName(name: string): boolean {
  if (API_CREDENTIALS.includes(name)) return true;
  if (HARMLESS.has(name)) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/u)
    .map((word) => word.replace(/\d+$/u, ""));
  return words.some((word) => WORDS.has(word) || ENDINGS.test(word)) || CONNECTION.test(words.join("_"));
}

/** Whether a value is a secret by its looks: a key or token of a common service, a private key, an address with a password. */
export function isSecretValue(value: string): boolean {
  return SECRET_PATTERNS.some(({ pattern }) => pattern.test(value));
}

/** A proxy's address is not kept from what has to go through the proxy. */
const PROXY = /_proxy$/iu;

export function secretVariables(env: Variables): readonly string[] {
  return Object.keys(env).filter((name) => {
    const value = env[name];
    return value !== undefined && (isSecretName(name) || (!PROXY.test(name) && isSecretValue(value)));
  });
}
