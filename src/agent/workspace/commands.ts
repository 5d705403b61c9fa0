// From a prompt to the command that does it.
import { move, remove } from "./arranging.ts";
import { append, write } from "./editing.ts";
import { list, read } from "./looking.ts";
import { type Prompt, readCommand, splitLine } from "./prompt.ts";
import { run } from "./running.ts";
import { search } from "./search.ts";
import { send } from "./sending.ts";
import type { Turn } from "./turn.ts";

interface Entry {
  readonly act: (turn: Turn, rest: string) => Promise<void>;
  /** It reads its first line only. */
  readonly oneLine?: true;
}

const commands: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ["help", { act: (turn) => turn.say(help), oneLine: true }],
  ["list", { act: list, oneLine: true }],
  ["read", { act: read, oneLine: true }],
  ["search", { act: search, oneLine: true }],
  ["send", { act: send, oneLine: true }],
  ["say", { act: (turn, rest) => turn.say(rest.replace(/^\n/, "")) }],
  ["write", { act: write }],
  ["append", { act: append }],
  ["delete", { act: remove, oneLine: true }],
  ["move", { act: move, oneLine: true }],
  ["run", { act: run }],
]);

const help = `I work with the files of this workspace. I have no model, so I take commands:

- \`list\` or \`list notes\`: what is in a folder
- \`read notes/todo.md\`: a file
- \`search invoice\`: the lines in which a text stands
- \`send notes/todo.md\`: you get the file itself
- \`say **hello**\`: I answer with it

Before these I ask:

- \`write notes/todo.md\`, and on the lines below the whole content
- \`append notes/todo.md\`, and on the lines below what is added
- \`delete notes/todo.md\`
- \`move old.md notes/new.md\`
- \`run git status\`: a command line, in the workspace`;

export async function obey(turn: Turn, prompt: Prompt): Promise<void> {
  if (prompt.others.length > 0) {
    await turn.say(`I see ${prompt.others.join(", ")}. I have no model to look into it.\n\n`);
  }
  for (const [index, text] of prompt.commands.entries()) {
    if (turn.signal.aborted) return;
    if (index > 0) await turn.say("\n\n");
    await obeyOne(turn, text);
  }
}

async function obeyOne(turn: Turn, text: string): Promise<void> {
  const { word, rest } = readCommand(text);
  const command = commands.get(word);
  if (command === undefined) return turn.say(help);
  await command.act(turn, rest);
  if (command.oneLine && splitLine(rest).below?.trim()) {
    await turn.say("\n\n*I took the first line only. Send other commands one at a time.*");
  }
}
