import assert from "node:assert/strict";
import { it } from "node:test";
import { createLog, redactText } from "../../src/config/log.ts";

const botToken = `123456789:${"A".repeat(35)}`;

function logged(pretty: boolean) {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    pretty,
    write: (line) => void lines.push(line),
    secrets: () => ["very-secret-value"],
  });
  return { log, lines };
}

it("hides secrets by field, by value and by form, also in errors", () => {
  const { log, lines } = logged(false);
  const error = new Error(`fetch https://api.telegram.org/bot${botToken}/getMe failed`);
  log.error(
    { token: "t1", inner: { authorization: "Bearer abc" }, error },
    "very-secret-value leaked",
  );
  const [line = ""] = lines;
  for (const secret of ['t1"', "Bearer abc", botToken, "very-secret-value"])
    assert.ok(!line.includes(secret), `${secret} in ${line}`);
  const parsed = JSON.parse(line);
  assert.equal(parsed.level, "error");
  assert.match(parsed.error.message, /org\/\[hidden\]\/getMe/);
});

it("writes lines for people, with nothing that drives a terminal", () => {
  const { log, lines } = logged(true);
  log.debug({}, "not shown");
  log.warn({ listener: "a\u001b[2J", error: new Error("bad\nthing") }, "Something happened");
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? "",
    /^\d\d:\d\d:\d\d warn {2}Something happened listener=a⟨U\+001B⟩\[2J \(bad⟨U\+000A⟩thing\)\n$/,
  );
});

it("knows the tokens of the platforms and our own", () => {
  for (const token of [
    botToken,
    `a2p_${"x".repeat(43)}`,
    "xoxb-1234567890-abcdef",
    `sk-${"y".repeat(30)}`,
  ])
    assert.equal(redactText(`<${token}>`, []), "<[hidden]>");
  assert.equal(redactText("at 12:30:45 task 123456", []), "at 12:30:45 task 123456");
});
