// The commands that write: write and append. The whole change is shown before it is made.
import { code, size } from "./markdown.ts";
import { locate } from "./paths.ts";
import { onePath, splitLine } from "./prompt.ts";
import { readBeginning, replaceText } from "./text-file.ts";
import { type Action, change, type Turn } from "./turn.ts";

// Both sides of a change travel in one message, twice.
const mostBytes = 512 * 1024;

export function write(turn: Turn, rest: string): Promise<void> {
  return edit(turn, rest, { word: "write", title: "Write", result: (_before, text) => text });
}

export function append(turn: Turn, rest: string): Promise<void> {
  return edit(turn, rest, { word: "append", title: "Append to", result: appended });
}

/** Chat apps cut off the line break at the end of a message, so what is appended starts on a line of its own. */
function appended(before: string | null, text: string): string {
  if (before === null || before === "") return text;
  return before.endsWith("\n") ? before + text : `${before}\n${text}`;
}

interface Edit {
  readonly word: string;
  readonly title: string;
  readonly result: (before: string | null, text: string) => string;
}

async function edit(turn: Turn, rest: string, kind: Edit): Promise<void> {
  const { line, below } = splitLine(rest);
  if (line === "" || below === undefined) {
    return turn.say(
      `Say which file, and on the lines below what goes into it:\n\n\`\`\`\n${kind.word} notes/todo.md\nbuy milk\n\`\`\``,
    );
  }
  const target = await currentText(turn, onePath(line));
  if (typeof target === "string") return turn.say(target);
  const { path, name, before } = target;
  const after = kind.result(before, below);
  if (Buffer.byteLength(after) > mostBytes) {
    return turn.say(`That is more than ${size(mostBytes)}, too much to show. Send it in parts.`);
  }
  const call: Action = {
    title: `${kind.title} ${name}`,
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: before, newText: after }],
    rawInput: { path: name },
  };
  await change(turn, call, async () => {
    const outcome = await replaceText({ root: turn.root, name, path, before, after });
    if (outcome === "written") return { ok: true, text: `${done(before)} ${code(name)}.` };
    const text = `${code(name)} changed while you were asked, so I wrote nothing. Send the command again to see the change against what is there now.`;
    return { ok: false, text };
  });
}

function done(before: string | null): string {
  return before === null ? "Created" : "Changed";
}

/** What the change starts from, or the sentence that says why there is none. */
async function currentText(turn: Turn, given: string) {
  const place = await locate(turn.root, given);
  if (!place.ok) return place.why;
  const { path, name, stat } = place;
  if (stat === null) return { path, name, before: null };
  if (!stat.isFile()) return `${code(name)} is not an ordinary file. Choose another name.`;
  const found = await readBeginning(path, mostBytes);
  const instead = "so I cannot show what would change. Delete it first, or choose another name.";
  if (found === "gone") return `${code(name)} changed just now. Send the command again.`;
  if (found === "binary") return `${code(name)} is not a text file, ${instead}`;
  if (found.truncated) return `${code(name)} is larger than ${size(mostBytes)}, ${instead}`;
  return { path, name, before: found.text };
}
