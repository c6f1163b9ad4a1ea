import { expect, test } from "vitest";
import { SseSplitter } from "./exchange-recorder.ts";

test("events keep their text and get the time they took, however the bytes are cut", () => {
  const bytes = Buffer.from("event: a\ndata: é\n\nevent: b\r\ndata: 2\r\n\r\nevent: c");
  const splitter = new SseSplitter(1000);

  for (const [index, byte] of bytes.entries()) splitter.push(Uint8Array.of(byte), 1000 + index);

  expect(splitter.end(2000)).toEqual([
    { delayMs: 18, text: "event: a\ndata: é\n\n" },
    { delayMs: 21, text: "event: b\r\ndata: 2\r\n\r\n" },
    { delayMs: 961, text: "event: c" },
  ]);
});
