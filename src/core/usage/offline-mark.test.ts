import { describe, expect, it } from "vitest";
import { offlineMark, offlineMessageId, scenarioOfMessage } from "./offline-mark.ts";

const unique = "0123456789abcdef0123456789abcdef";

describe("the ids of offline responses", () => {
  it.each(["todo", "my scenario", "a_b_c", "50%~off", "größe \u{1F600}", "../../x", `x_${unique}`])(
    "hold the scenario %j, and are plain words",
    (scenario) => {
      const id = offlineMessageId(scenario, unique);
      expect(id).toMatch(/^msg_offline_[\w.!~*'()-]+_[\da-f]{32}$/u);
      expect(scenarioOfMessage(id)).toBe(scenario);
    },
  );

  it("stay an id for a name that is empty, very long, or no text", () => {
    expect(scenarioOfMessage(offlineMessageId("", unique))).toBe("unnamed");
    expect(scenarioOfMessage(offlineMessageId("a".repeat(5000), unique))).toBe("a".repeat(64));
    expect(scenarioOfMessage(offlineMessageId("\ud800", unique))).toBe("\ufffd");
  });

  it.each(["msg_01XFDUDYJgAACzvnptvVoYEL", "msg_offline_", "msg_offline_todo", `x msg_offline_todo_${unique}`, ""])(
    "are not what %j is",
    (id) => expect(scenarioOfMessage(id)).toBeUndefined(),
  );

  it("mark a turn only where every response has one", () => {
    const id = offlineMessageId("todo", unique);
    expect(offlineMark([id, id])).toEqual({ offline: true, scenario: "todo" });
    expect([offlineMark([]), offlineMark([id, "msg_01XFDUDYJgAACzvnptvVoYEL"])]).toEqual([undefined, undefined]);
  });
});
