import { SkeinError } from "../../core/index.ts";

/** Why a command that drives a monitor server cannot be used: this version has no such server. */
export function noMonitor(target: string): SkeinError {
  return new SkeinError("There is no monitor server to connect to yet", {
    kind: "policy",
    target,
    hint: "To work on another machine, use skein ssh-mode or skein teleport-mode; to drive Skein from a program, skein rpc.",
  });
}
