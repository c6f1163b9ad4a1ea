// Takes memory as whoever runs it, under a limit, and tells what held the limit and whether it was seen to be passed.
import { spawnCli } from "../../dist/engine/processes/cli-process.js";
import { findGroupParent } from "../../dist/engine/resources/memory-group.js";

const script = `python3 -c 'import os, time; f = os.memfd_create("x"); [os.write(f, b"x" * 2**20) for _ in range(200)]; time.sleep(1000)'`;
const cli = spawnCli(
  {
    command: "sh",
    args: [
      "-c",
      `read -r line; unshare -Urm sh -c "$0" "$1"`,
      'mount -t tmpfs none /dev/shm; head -c 200M /dev/zero > /dev/shm/x; eval "$0"',
      script,
    ],
    cwd: "/",
    env: { PATH: process.env.PATH },
    signal: new AbortController().signal,
  },
  { mark: `user-${process.pid}.1.`, groupParent: await findGroupParent() },
);
const limitedBy = await cli.limitMemory(300 * 1024 ** 2);
cli.child.stdin.write("go\n");
let bytes = 0;
for (let round = 0; round < 100 && bytes < 400 * 1024 ** 2; round += 1) {
  bytes = (await cli.measureBytes()) ?? 0;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const hidden = await cli.measureHiddenBytes();
await cli.end(0);
process.stdout.write(
  JSON.stringify({ limitedBy, isPassed: bytes >= 400 * 1024 ** 2, isHiddenSeen: hidden >= 200 * 1024 ** 2 }),
);
