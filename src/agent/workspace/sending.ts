// The command that sends a file of the workspace into the chat; it changes nothing.
import { pathToFileURL } from "node:url";
import { missing } from "./looking.ts";
import { code, size } from "./markdown.ts";
import { locate } from "./paths.ts";
import { onePath, splitLine } from "./prompt.ts";
import { readWhole } from "./text-file.ts";
import { type Action, look, type Result, type Turn } from "./turn.ts";

/** In base64 it must fit into one line of the protocol, which is at most 16 MB. */
const most = 10_000_000;

export async function send(turn: Turn, rest: string): Promise<void> {
  const { line } = splitLine(rest);
  if (line === "") return turn.say("Say which file: `send notes/todo.md`.");
  const place = await locate(turn.root, onePath(line));
  if (!place.ok) return turn.say(place.why);
  const { path, name, stat } = place;
  if (stat === null) return turn.say(missing(name));
  if (stat.isDirectory()) {
    return turn.say(`${code(name)} is a folder, and I send one file at a time.`);
  }
  const call: Action = { title: `Send ${name}`, kind: "read", locations: [{ path }] };
  await look(turn, call, () => sending(turn, path, name));
}

async function sending(turn: Turn, path: string, name: string): Promise<Result> {
  const bytes = await readWhole(path, most);
  if (bytes === "gone") {
    return { ok: false, text: `${code(name)} is not an ordinary file, so I do not send it.` };
  }
  if (bytes === "larger") {
    return { ok: false, text: `${code(name)} is larger than the ${size(most)} that I can send.` };
  }
  if (bytes.length === 0) {
    return { ok: false, text: `${code(name)} is empty, so there is nothing to send.` };
  }
  const resource = { uri: pathToFileURL(path).href, blob: bytes.toString("base64") };
  await turn.send({
    sessionUpdate: "agent_message_chunk",
    content: { type: "resource", resource },
  });
  return { ok: true, text: `Here is ${code(name)}, ${size(bytes.length)}.` };
}
