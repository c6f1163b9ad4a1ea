import { expect } from "vitest";
import type { PermissionMode } from "../../../src/engine/index.ts";
import { checkCounted, inTime } from "./check-turn.ts";
import { command, type KeptCommand } from "./commands.ts";
import type { Face } from "./face.ts";
import type { KeptModel } from "./kept-model.ts";

/** Another model from here on. */
export function setModel(wanted: string): KeptCommand {
  return command(
    `model ${wanted}`,
    ({ pending, turns }) => pending.length === 0 && turns > 0,
    async (model, face) => {
      await inTime("setting the model", face.setModel(wanted));
      model.model = wanted;
      if (model.running) model.running.nextModel = wanted;
    },
  );
}

/** Another permission mode from here on. */
export function setPermissionMode(wanted: PermissionMode): KeptCommand {
  return command(
    `permissions ${wanted}`,
    ({ pending, turns }) => pending.length === 0 && turns > 0,
    async (model, face) => {
      const setting = inTime("setting the permission mode", face.setPermissionMode(wanted));
      // A process that was started without leave to cannot be told to bypass permissions.
      if (wanted === "bypassPermissions" && model.pid !== undefined && !model.startedWith.bypasses) {
        return await expect(setting).rejects.toMatchObject({ kind: "config" });
      }
      await setting;
      model.permissionMode = wanted;
    },
  );
}

/** Closes the conversation, and goes on with it. */
export const reopen = command("reopen", ({ running }) => running === undefined, closeAndReopen);

async function closeAndReopen(model: KeptModel, face: Face): Promise<void> {
  // Of turns that end by themselves it cannot be said whether they are heard of before.
  if (model.pending.length > 0 && face.connectsFirst) return;
  if (model.pending.length > 0) model.isWhole = false;
  await inTime("closing", face.reopen());
  expect(face.pids()).toEqual([]);
  model.pending = [];
  model.pid = undefined;
  if (!face.hasQueue) {
    model.model = model.recordedModel;
    model.permissionMode = model.setup.permissionMode ?? "acceptEdits";
  }
  checkCounted(model, face);
}
