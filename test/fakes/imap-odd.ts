// A small mail server that says what no good one ever would: a mailbox in memory, and each answer can be replaced.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface Asked {
  /** `UID FETCH`, in capitals. */
  readonly command: string;
  readonly rest: string;
  /** What a good server says before its OK; each ends with its line break. */
  readonly usual: readonly Buffer[];
}

/** Instead of the usual; a text: the tagged line after it (without tag), where it is not `OK`. Null: the connection ends. */
export interface Says {
  readonly lines: readonly (string | Buffer)[];
  readonly end?: string;
}

export interface OddImap {
  readonly port: number;
  uidValidity: string;
  uidNext: number;
  capability: string;
  /** By UID; null: it is listed, and nothing is known about it. */
  readonly mails: Map<number, Buffer>;
  /** UIDs that were marked. */
  readonly seen: Set<number>;
  /** Commands so far, with what was said with them. */
  readonly asked: string[];
  /** Puts a mail in, and tells whoever waits. */
  add(raw: Buffer, uid?: number): number;
  /** To whoever is connected, at once. */
  tell(line: string): void;
  /** What is said to a command instead of the usual; undefined: the usual, null: the connection breaks. */
  answer: (asked: Asked) => Says | null | undefined;
  /** How often somebody connected. */
  connections: number;
}

export async function startOddImap(t: TestContext): Promise<OddImap> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    it.connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    converse(it, socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const it: OddImap = {
    port: typeof address === "object" && address ? address.port : 0,
    ...{ uidValidity: "7", uidNext: 1, capability: "IMAP4rev1 IDLE UIDPLUS" },
    ...{ mails: new Map(), seen: new Set(), asked: [], connections: 0 },
    answer: () => undefined,
    add(raw, uid = it.uidNext) {
      it.uidNext = Math.max(it.uidNext, uid + 1);
      it.mails.set(uid, raw);
      it.tell(`* ${it.mails.size} EXISTS`);
      return uid;
    },
    tell(line) {
      for (const socket of sockets) socket.write(`${line}\r\n`);
    },
  };
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return it;
}

function converse(it: OddImap, socket: Socket): void {
  socket.write(`* OK [CAPABILITY ${it.capability}] ready\r\n`);
  let [text, idling] = ["", ""];
  socket.on("data", (data) => {
    text += data.toString("latin1");
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      if (idling) {
        socket.write(`${idling} OK done\r\n`);
        idling = "";
        continue;
      }
      const [, tag = "", command = "", rest = ""] =
        /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? [];
      if (command.toUpperCase() === "IDLE") idling = tag;
      respond(it, socket, { tag, command: command.toUpperCase(), rest });
    }
  });
}

interface Line {
  readonly tag: string;
  readonly command: string;
  readonly rest: string;
}

function respond(it: OddImap, socket: Socket, { tag, command, rest }: Line): void {
  it.asked.push(`${command} ${rest}`);
  const asked = { command, rest, usual: usualOf(it, command, rest) };
  const said = it.answer(asked);
  if (said === null) {
    socket.destroy();
    return;
  }
  for (const line of said?.lines ?? asked.usual) socket.write(line);
  if (command === "IDLE") socket.write("+ idling\r\n");
  else if (said?.end !== "") socket.write(`${tag} ${said?.end ?? "OK done"}\r\n`);
  if (command === "LOGOUT") socket.end();
}

function usualOf(it: OddImap, command: string, rest: string): Buffer[] {
  const lines = (...all: string[]) => all.map((line) => Buffer.from(`${line}\r\n`));
  const uids = [...it.mails.keys()].sort((a, b) => a - b);
  if (command === "CAPABILITY") return lines(`* CAPABILITY ${it.capability}`);
  if (command === "LIST")
    return lines(rest === '"" ""' ? '* LIST (\\Noselect) "/" ""' : '* LIST () "/" INBOX');
  if (command === "SELECT")
    return lines(
      "* FLAGS (\\Seen)",
      `* ${uids.length} EXISTS`,
      `* OK [UIDVALIDITY ${it.uidValidity}] ok`,
      `* OK [UIDNEXT ${it.uidNext}] ok`,
    );
  if (command === "UID SEARCH") {
    const from = Number(/UID (\d+):/.exec(rest)?.[1] ?? 1);
    const found = uids.filter((uid) => uid >= from);
    return lines(`* SEARCH ${(found.length > 0 ? found : uids.slice(-1)).join(" ")}`);
  }
  if (command === "UID FETCH") return wanted(rest, uids).map((uid) => fetched(it, uid, rest));
  if (command === "UID STORE") for (const uid of wanted(rest, uids)) it.seen.add(uid);
  return [];
}

function wanted(rest: string, uids: readonly number[]): number[] {
  const asked = new Set((rest.split(" ")[0] ?? "").split(",").map(Number));
  return uids.filter((uid) => asked.has(uid));
}

/** What is told of one mail; `size` where it is told another. */
export function fetched(it: OddImap, uid: number, rest: string, size?: number): Buffer {
  const raw = it.mails.get(uid) ?? Buffer.alloc(0);
  const at = [...it.mails.keys()].sort((a, b) => a - b).indexOf(uid) + 1;
  const head = `* ${at} FETCH (UID ${uid}`;
  if (!/BODY/.test(rest)) {
    const [, day, month, year, time] = new Date().toUTCString().split(" ");
    const date = `"${day}-${month}-${year} ${time} +0000"`;
    return Buffer.from(`${head} RFC822.SIZE ${size ?? raw.length} INTERNALDATE ${date})\r\n`);
  }
  const [, section = "", start = "0", most = "1000000000"] =
    /BODY\.PEEK\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/.exec(rest) ?? [];
  const all = section === "HEADER" ? raw.subarray(0, raw.indexOf("\r\n\r\n") + 4) : raw;
  const piece = all.subarray(Number(start), Number(start) + Number(most));
  const opens = `${head} BODY[${section}]<${start}> {${piece.length}}\r\n`;
  return Buffer.concat([Buffer.from(opens), piece, Buffer.from(")\r\n")]);
}
