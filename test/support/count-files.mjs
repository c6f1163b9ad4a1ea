// Given to Node by `--import`: notes each file of code that a process loads, a line each, in the file that SKEIN_TEST_LOADED names.
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  if (url.startsWith("file:")) appendFileSync(process.env.SKEIN_TEST_LOADED, `${url}\n`);
  return await next(url, context);
}
