import type { Command } from "./define-command.ts";
import { adopt } from "./commands/adopt.ts";
import { branch } from "./commands/branch.ts";
import { checkpoint } from "./commands/checkpoint.ts";
import { compare } from "./commands/compare.ts";
import { demo } from "./commands/demo.ts";
import { diff } from "./commands/diff.ts";
import { doctor } from "./commands/doctor.ts";
import { explore } from "./commands/explore.ts";
import { gc } from "./commands/gc.ts";
import { load } from "./commands/load.ts";
import { log } from "./commands/log.ts";
import { offlineServe } from "./commands/offline-serve.ts";
import { pull } from "./commands/pull.ts";
import { push } from "./commands/push.ts";
import { recover } from "./commands/recover.ts";
import { reindex } from "./commands/reindex.ts";
import { restore } from "./commands/restore.ts";
import { run } from "./commands/run.ts";
import { save } from "./commands/save.ts";
import { schema } from "./commands/schema.ts";
import { show } from "./commands/show.ts";
import { tree } from "./commands/tree.ts";
import { undo } from "./commands/undo.ts";
import { verify } from "./commands/verify.ts";

/** Every command there is, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  run,
  explore,
  demo,
  log,
  tree,
  show,
  diff,
  compare,
  checkpoint,
  restore,
  adopt,
  undo,
  branch,
  recover,
  push,
  pull,
  save,
  load,
  verify,
  gc,
  reindex,
  doctor,
  schema,
  offlineServe,
];
