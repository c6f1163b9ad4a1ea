import type { Command } from "./define-command.ts";
import { demo } from "./commands/demo.ts";
import { doctor } from "./commands/doctor.ts";
import { offlineServe } from "./commands/offline-serve.ts";
import { run } from "./commands/run.ts";

/** Every command there is, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [run, demo, doctor, offlineServe];
