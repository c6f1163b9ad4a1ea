import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Starts `skein serve` over a store at any free port: its address, the address that lets a browser in once, `get` for what it answers, `stop`. */
export async function serveStore({ home, env }) {
  const child = spawn(process.execPath, [SKEIN, "serve", "--port", "0", "--output-format", "stream-json"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  const { url, login_url: loginUrl } = JSON.parse(line);
  const token = readFileSync(join(home, "monitor", "token"), "utf8").trim();
  return {
    url,
    loginUrl,
    async get(path) {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
