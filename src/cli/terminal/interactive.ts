// The chat at a terminal: the answer grows in place, cards are answered with a key, several chats see the same conversation.
import { randomUUID } from "node:crypto";
import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { harmless } from "../../core/visible.ts";
import { type Connection, connect } from "./connection.ts";
import { after, emptyConversation, openCard, withItem } from "./conversation.ts";
import type { TerminalEvent } from "./events.ts";
import { emptyInput, insert, type Key, type } from "./input.ts";
import { createScreen, type Screen } from "./screen.ts";
import { painter } from "./style.ts";
import { frameOf } from "./view.ts";

export interface InteractiveOptions {
  socket(): string;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly colour: boolean;
  readonly greeting: string;
  /** How long keys of a new card are still text, ms: somebody in the middle of a word must not press one. */
  readonly cardGuard?: number;
  /** Aborted: the gateway in this process is stopping. */
  readonly signal: AbortSignal;
}

export interface Chat {
  /** A line of the log, above the input. */
  note(text: string): void;
  readonly ended: Promise<void>;
}

const cardGuard = 500;
const patience = 60_000;
const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

interface State {
  conversation: typeof emptyConversation;
  input: typeof emptyInput;
  connected: boolean;
  hint: string;
  pasting: boolean;
  card: { readonly id: string; readonly since: number } | undefined;
  readonly presses: Set<string>;
}

export function openInteractive(options: InteractiveOptions): Chat {
  const { stdout } = options;
  const state: State = {
    conversation: withItem(emptyConversation, { is: "note", text: options.greeting }),
    input: emptyInput,
    connected: true,
    hint: "",
    pasting: false,
    card: undefined,
    presses: new Set(),
  };
  const screen = createScreen({
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    write: (text) => void stdout.write(text),
  });
  const paint = painter(options.colour);
  const draw = () => screen.draw(frameOf({ ...state, columns: stdout.columns || 80, paint }));
  const note = (text: string) => {
    state.conversation = withItem(state.conversation, { is: "note", text: harmless(text) });
    draw();
  };
  const connection = connect({
    socket: options.socket,
    after: "unseen",
    patience,
    onState(now) {
      state.connected = now === "connected";
      draw();
    },
    on(event) {
      see(state, event);
      draw();
    },
  });
  draw();
  return { note, ended: typeUntilEnd({ options, state, screen, connection, note, draw }) };
}

function see(state: State, event: TerminalEvent): void {
  if (event.type === "notice" && !state.presses.has(event.press)) return;
  state.conversation = after(state.conversation, event);
  const open = openCard(state.conversation);
  if (open?.id !== state.card?.id) state.card = open && { id: open.id, since: performance.now() };
}

interface Typing {
  readonly options: InteractiveOptions;
  readonly state: State;
  readonly screen: Screen;
  readonly connection: Connection;
  note(text: string): void;
  draw(): void;
}

function typeUntilEnd(typing: Typing): Promise<void> {
  const { options, screen, connection, draw } = typing;
  const { stdin, stdout, signal } = options;
  return new Promise((resolve) => {
    const onKey = (sequence: string | undefined, key: Key) => {
      if (onKeypress(typing, { ...key, sequence: key.sequence ?? sequence }) === "leave") end();
      else draw();
    };
    const onResize = () => {
      screen.reset();
      draw();
    };
    const end = () => {
      stdin.off("keypress", onKey);
      stdout.off("resize", onResize);
      signal.removeEventListener("abort", end);
      connection.close();
      screen.end();
      stdout.write(bracketedPaste.off);
      stdin.setRawMode(false);
      stdin.pause();
      resolve();
    };
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdout.write(bracketedPaste.on);
    stdin.on("keypress", onKey);
    stdout.on("resize", onResize);
    signal.addEventListener("abort", end, { once: true });
    stdin.resume();
    if (signal.aborted) end();
  });
}

function onKeypress(typing: Typing, key: Key): "leave" | undefined {
  const { state, screen } = typing;
  if (key.name === "paste-start" || key.name === "paste-end") {
    state.pasting = key.name === "paste-start";
    return undefined;
  }
  if (pressed(typing, key)) return undefined;
  const typed =
    state.pasting && key.name !== "paste-end"
      ? insert(state.input, (key.sequence ?? "").replace(/(?![\n\t\r])\p{Cc}/gu, ""))
      : type(state.input, key);
  if (typed.do === "interrupt") {
    if (state.hint) return "leave";
    state.hint = "Press Ctrl-C again to leave.";
    state.input = { ...state.input, text: [], cursor: 0 };
    return undefined;
  }
  state.hint = "";
  if (typed.do === "leave") return "leave";
  if (typed.do === "redraw") screen.reset();
  else state.input = typed.input;
  return typed.do === "submit" ? submit(typing, typed.text) : undefined;
}

/** A single digit while nothing is typed presses a button of the open card. */
function pressed({ state, connection, note, options }: Typing, { sequence = "" }: Key): boolean {
  const card = openCard(state.conversation);
  if (state.pasting || state.input.text.length > 0 || !/^[1-9]$/.test(sequence) || !card)
    return false;
  const button = card.buttons[Number(sequence) - 1];
  if (!button || performance.now() - (state.card?.since ?? 0) < (options.cardGuard ?? cardGuard))
    return false;
  const id = randomUUID();
  state.presses.add(id);
  connection
    .press({ id, message: card.id, data: button.data })
    .catch((error: Error) => note(`Not pressed: ${error.message}`));
  return true;
}

function submit({ state, connection, note }: Typing, text: string): "leave" | undefined {
  if (/^\/(quit|exit)$/.test(text.trim())) return "leave";
  const id = randomUUID();
  state.conversation = withItem(state.conversation, { is: "said", id, text: harmless(text) });
  connection
    .say({ id, text })
    .catch((error: Error) => note(`Not sent: ${error.message}. Your text: ${text}`));
  return undefined;
}
