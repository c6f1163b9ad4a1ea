import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Starts Debian's Chromium, or the one that `CHROMIUM_PATH` names. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM_PATH ?? findOnPath();
  if (executablePath === undefined) {
    throw new Error("There is no chromium: install the Debian package chromium, or name one by CHROMIUM_PATH");
  }
  // As root Chromium starts only without its sandbox; what it opens is the page of this machine.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath, args: [...args, "--font-render-hinting=none"] });
}

function findOnPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
