/** One kind of secret, and how it is told. */
export interface SecretPattern {
  /** Stands in the text in the secret's place, and in the metrics. */
  readonly name: string;
  /** Matches the secret and nothing around it. */
  readonly pattern: RegExp;
}

const KEY_BEGIN = "-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----";
const KEY_END = "-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----";
/** Up to the next begin, so that many of them are read once each. */
const KEY_BODY = "(?:(?!-----BEGIN )[\\s\\S])*?";
/** Lines of a key that was cut off; inside JSON its line ends are written out. */
const KEY_LINES = "(?:(?:\\\\[rn]|\\s)+[A-Za-z0-9+/=]{16,})+";

/** Secrets that can be told by their looks: keys and tokens of the common services, private keys, passwords in URLs. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  { name: "private-key", pattern: new RegExp(`${KEY_BEGIN}(?:${KEY_BODY}${KEY_END}|${KEY_LINES})`) },
  { name: "anthropic-key", pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{16,}/ },
  { name: "openai-key", pattern: /(?<![A-Za-z0-9])sk-(?!ant-)[A-Za-z0-9_-]{20,}/ },
  { name: "github-token", pattern: /(?<![A-Za-z0-9])(?:gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})/ },
  { name: "gitlab-token", pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/ },
  { name: "slack-token", pattern: /(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/ },
  { name: "aws-key-id", pattern: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/ },
  {
    name: "aws-secret-key",
    pattern: /(?<=aws_secret_access_key["']?\s{0,3}[=:]\s{0,3}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/i,
  },
  { name: "google-key", pattern: /(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,})/ },
  { name: "stripe-key", pattern: /(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/ },
  { name: "npm-token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}/ },
  { name: "hugging-face-token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/ },
  { name: "sendgrid-key", pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/ },
  { name: "jwt", pattern: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/ },
  // With a digit: "bearer" is a word of prose too, and long words follow it.
  { name: "bearer-token", pattern: /(?<=\bbearer\s{1,4})(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{16,}/i },
  { name: "url-password", pattern: /(?<=:\/\/[^\s:@/]{1,64}:)[^\s@/]{3,256}(?=@)/ },
];
