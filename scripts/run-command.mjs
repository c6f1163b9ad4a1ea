import { spawn } from "node:child_process";

/** Runs a command to its end without a terminal; rejects with the end of what it wrote when it fails. */
export function runCommand(command, args, { cwd, env, timeoutMs = 240_000, expectedCode = 0 }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const refuse = (why) => reject(new Error(`${[command, ...args].join(" ")}: ${why}\n${lastOf(output)}`));
    child.on("error", (error) => refuse(error.message));
    child.on("close", (code, signal) => {
      if (code === expectedCode) resolve(output);
      else refuse(signal ? `was ended by ${signal}, after ${timeoutMs / 1000} s` : `exit ${code}`);
    });
  });
}

function lastOf(output) {
  return output.trimEnd().split("\n").slice(-40).join("\n");
}
