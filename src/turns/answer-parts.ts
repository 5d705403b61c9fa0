// What an answer is made of: a message for each part and each file, or all in one where the channel takes it so.

import { escapeInline } from "../approvals/card.ts";
import type { OutFile, Part } from "../core/channel.ts";
import { markdownParts } from "../core/markdown-parts.ts";
import type { Address, Markdown, TurnId } from "../core/words.ts";
import { addPart, setOutboxState } from "../store/outbox.ts";
import type { Op } from "../store/query.ts";
import type { TurnPorts } from "./ports.ts";

export interface Piece extends Part {
  /** What the platform does not take: this message tells of it. */
  readonly withheld?: OutFile;
}

interface Answer {
  readonly turn: { readonly id: TurnId };
  readonly text: Markdown;
  readonly files?: readonly OutFile[];
  readonly to: Address;
}

/** Longer answers go as a file. */
const textMost = 64_000;

export async function piecesOf(ports: TurnPorts, answer: Answer): Promise<Piece[]> {
  const { to, files = [] } = answer;
  const channel = ports.channel(to.listener);
  if (channel?.oneMessage) return await inOneMessage(ports, answer, channel.limits.file);
  const text = answer.text.trim() ? await inMessages(ports, answer) : [];
  const most = channel?.limits.file ?? 0;
  const sent = files.map((file) =>
    file.size <= most ? { plain: "", file } : { plain: "", withheld: file },
  );
  return [...text, ...sent];
}

async function inMessages(ports: TurnPorts, { to, text }: Answer): Promise<Part[]> {
  if (text.length <= textMost) return ports.render(to.listener, text);
  const { start, file } = await asFile(ports, text);
  const said = await ports.render(to.listener, start);
  return said.map((part, index) => (index === said.length - 1 ? { ...part, file } : part));
}

async function asFile(
  ports: TurnPorts,
  text: Markdown,
): Promise<{ start: Markdown; file: OutFile }> {
  const name = "answer.md";
  const { path, size } = await ports.keepFile(name, text);
  // Cut so that a code block is closed: else what is said below would be in it.
  const [first] = markdownParts(text, 600);
  const start = `${first?.plain ?? ""}\n\n…\n\nThe whole answer is long (${Math.ceil(size / 1024)} kB), so it is in this file.`;
  return { start, file: { path, name, size, mime: "text/markdown" } };
}

/** More than one only where even the start is too long for the channel: nothing is lost then either. */
async function inOneMessage(ports: TurnPorts, answer: Answer, most: number): Promise<Part[]> {
  const { to, files = [] } = answer;
  const text = answer.text.trim();
  const whole =
    text.length <= textMost && (await ports.render(to.listener, text)).length <= 1
      ? { start: text, all: files }
      : await asFile(ports, text).then(({ start, file }) => ({ start, all: [file, ...files] }));
  const { fit, left } = upTo(most, whole.all);
  const lines = left.length > 0 ? await linesFor(ports, answer, { files: left, most }) : [];
  const said = [whole.start, ...lines].filter(Boolean).join("\n\n");
  const parts = said ? await ports.render(to.listener, said) : [{ plain: "" }];
  const [file, ...along] = fit;
  if (!said && !file) return [];
  const last = parts.length - 1;
  return parts.map((part, at) => (at === last && file ? { ...part, file, along } : part));
}

/** In their order: what fits beside what came before. */
function upTo(most: number, files: readonly OutFile[]) {
  const fit: OutFile[] = [];
  const left: OutFile[] = [];
  let sum = 0;
  for (const file of files) {
    const fits = sum + file.size <= most;
    if (fits) sum += file.size;
    (fits ? fit : left).push(file);
  }
  return { fit, left };
}

/** Their rows come first: the lines have links to them. */
async function linesFor(
  ports: TurnPorts,
  answer: Answer,
  { files, most }: { readonly files: readonly OutFile[]; readonly most: number },
): Promise<Markdown[]> {
  const links = await ports.store.run(function* () {
    const made: (string | undefined)[] = [];
    for (const [index, file] of files.entries())
      made.push(yield* withhold(ports, answer, { file, seq: index + 1 }));
    return made;
  });
  return files.map(({ name, size }, index) => {
    const link = links[index];
    const alone = size <= most ? "Ask for it in a message of its own." : "Ask for a smaller one.";
    const how = link ? `For a day it is here: <${link}>` : alone;
    return `📎 ${escapeInline(name)} (${megabytes(size)}) does not fit into this message. ${how}`;
  });
}

/** A file that cannot go out has a row all the same: it is what a link, or a page of ours, leads to. */
export function* withhold(
  ports: TurnPorts,
  { turn, to }: Pick<Answer, "turn" | "to">,
  { file, seq }: { readonly file: OutFile; readonly seq: number },
): Op<string | undefined> {
  const row = {
    kind: "notice",
    state: "pending",
    turn: turn.id,
    plain: "",
    seq,
    to,
    file,
  } as const;
  const { id } = yield* addPart({ ...row, at: ports.clock.now() });
  yield* setOutboxState(id, "failed", "larger than this chat takes");
  return ports.fileLink(id);
}

export function megabytes(size: number): string {
  return `${(size / 1_000_000).toFixed(1)} MB`;
}
