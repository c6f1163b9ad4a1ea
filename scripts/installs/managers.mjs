import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../run-command.mjs";

/** The majors that are tried; their newest release comes from the registry. */
const TOOLS = ["pnpm@12", "@yarnpkg/cli-dist@4"];

/**
 * The package managers, with install scripts blocked, and what they keep below `folder`. npm's configuration says which registry, proxy
 * and certificates: pnpm reads the same files, Yarn is told.
 */
export async function managers(folder, root) {
  const tools = await fetchTools(folder);
  const config = JSON.parse(
    await runCommand("npm", ["config", "ls", "--json", "-l"], { cwd: root, env: process.env }).then(jsonOf),
  );
  const bin = (name) => join(tools, "node_modules", ".bin", name);
  const yarn = (name, nodeLinker, more) => ({
    name,
    install: [bin("yarn"), "add"],
    dependencies: (tarball, others) => [`skein@file:${tarball}`, ...others],
    exec: [bin("yarn"), "exec"],
    files: { ".yarnrc.yml": yarnSettings(folder, nodeLinker, config), "yarn.lock": "" },
    env: { ...process.env, YARN_GLOBAL_FOLDER: join(folder, "yarn") },
    ...more,
  });
  return [
    yarn("yarn", "node-modules"),
    {
      name: "npm",
      install: ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"],
      dependencies: (tarball, others) => [tarball, ...others],
      exec: ["npm", "exec", "--no", "--"],
      files: {},
      env: process.env,
    },
    {
      name: "pnpm",
      // It blocks scripts by itself, and ends with an error where a dependency has one.
      install: [bin("pnpm"), "add", "--store-dir", join(folder, "pnpm-store")],
      dependencies: (tarball, others) => [tarball, ...others],
      exec: [bin("pnpm"), "exec"],
      files: { ".npmrc": `registry=${config.registry}\n` },
      env: { ...process.env, XDG_CACHE_HOME: join(folder, "pnpm-cache"), XDG_STATE_HOME: join(folder, "pnpm-state") },
    },
    yarn("yarn-pnp", "pnp", { refusal: "nodeLinker: node-modules" }),
  ];
}

async function fetchTools(folder) {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...TOOLS];
  await runCommand("npm", args, { cwd: tools, env: process.env }).catch((error) => {
    throw new Error(
      `${TOOLS.join(" and ")} cannot be had from the registry that npm is configured with\n${error.message}`,
    );
  });
  return tools;
}

/** What npm warns of comes on the same way. */
function jsonOf(output) {
  return output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
}

/** JSON is YAML. */
function yarnSettings(folder, nodeLinker, config) {
  const { registry, proxy, cafile } = config;
  const httpsProxy = config["https-proxy"] ?? proxy;
  const settings = {
    nodeLinker,
    enableScripts: false,
    enableTelemetry: false,
    // In CI it would refuse to write a first lock file, and ask the registry twice.
    enableImmutableInstalls: false,
    enableHardenedMode: false,
    // A mirror may not say when a release was made.
    npmMinimalAgeGate: 0,
    npmRegistryServer: registry.replace(/\/$/, ""),
    unsafeHttpWhitelist: [new URL(registry).hostname],
    enableStrictSsl: config["strict-ssl"] !== false,
    ...(proxy ? { httpProxy: proxy } : {}),
    ...(httpsProxy ? { httpsProxy } : {}),
    ...(cafile ? { httpsCaFilePath: cafile } : {}),
    // The second project takes what the first one fetched.
    globalFolder: join(folder, "yarn"),
  };
  return JSON.stringify(settings, null, 2);
}
