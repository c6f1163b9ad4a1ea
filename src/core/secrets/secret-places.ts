import { homedir } from "node:os";
import { join } from "node:path";
import type { Variables } from "./api-variables.ts";

/** Keys, tokens and passwords of programs, below a home. */
const OF_PROGRAMS = (
  ".ssh .gnupg .password-store .netrc _netrc .authinfo .authinfo.gpg .git-credentials .config/git/credentials " +
  ".aws .azure .config/gcloud .boto .s3cfg .config/rclone .config/doctl .config/heroku .kube .docker/config.json .config/containers/auth.json " +
  ".terraform.d/credentials.tfrc.json .terraformrc .vault-token .config/sops .config/op .config/gh .config/hub .config/glab-cli .config/github-copilot " +
  ".npmrc .yarnrc.yml .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml " +
  ".gradle/gradle.properties .pgpass .my.cnf .mylogin.cnf .cache/huggingface/token .huggingface/token .codex/auth.json .config/openai"
).split(" ");

/** What a person typed: passwords are among it. */
const HISTORIES =
  ".bash_history .zsh_history .local/share/fish/fish_history .python_history .psql_history .mysql_history .node_repl_history".split(
    " ",
  );

/** Keyrings, and what browsers and mail programs keep: cookies, passwords, letters. */
const OF_PEOPLE = [
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  ".config/opera",
  ".config/Signal",
  ".bitcoin",
  ".electrum",
  ".ethereum",
  "Library/Keychains",
  "Library/Cookies",
  "Library/Safari",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Application Support/BraveSoftware",
  "Library/Application Support/gcloud",
  "AppData/Roaming/Microsoft/Credentials",
  "AppData/Roaming/gcloud",
  "AppData/Local/Google/Chrome/User Data",
  "AppData/Roaming/Mozilla",
];

/** Where the machine keeps secrets, below its root. */
export const SYSTEM_SECRETS: readonly string[] = [
  "etc/shadow",
  "etc/gshadow",
  "etc/ssh/ssh_host_rsa_key",
  "etc/ssh/ssh_host_ecdsa_key",
  "etc/ssh/ssh_host_ed25519_key",
  "etc/kubernetes",
  "run/secrets",
  "run/user",
  "var/run/secrets",
];

/** Well-known places with keys, tokens, passwords and cookies, whether or not they are there: no tool needs to read them unasked. */
export function secretPlaces(machine: { readonly env?: Variables; readonly root?: string } = {}): readonly string[] {
  const { env = process.env, root = "/" } = machine;
  const home = env["HOME"] || homedir();
  const claude = [join(home, ".claude"), ...(env["CLAUDE_CONFIG_DIR"] ? [env["CLAUDE_CONFIG_DIR"]] : [])];
  return [
    ...[...OF_PROGRAMS, ...HISTORIES, ...OF_PEOPLE, ".claude.json"].map((name) => join(home, name)),
    ...claude.flatMap((folder) => [join(folder, ".credentials.json"), join(folder, ".claude.json")]),
    ...SYSTEM_SECRETS.map((name) => join(root, name)),
  ];
}
