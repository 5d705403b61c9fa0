// A mailbox of the test's Dovecot as it lies on the disk: mail is put in, and flags are read.
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

/** Where root runs the tests: `nobody`. */
export const mailOwner = userInfo().uid === 0 ? { uid: 65534, gid: 65534 } : undefined;

export function ownMail(path: string): void {
  if (mailOwner) chownSync(path, mailOwner.uid, mailOwner.gid);
}

export interface Kept {
  readonly messageId: string;
  readonly seen: boolean;
}

export interface Maildir {
  /** `at`: when it came in, for the server's INTERNALDATE. */
  add(raw: string | Buffer, at?: Date): void;
  /** In the order in which they were put in. */
  list(): readonly Kept[];
  /** By its place in the list. */
  remove(at: number): void;
  recreate(how: "empty" | "kept"): void;
}

const uidList = "dovecot-uidlist";
const counter = { next: 0 };

export function openMaildir(folder: string): Maildir {
  const made = () => {
    for (const name of ["", "tmp", "new", "cur"]) {
      mkdirSync(join(folder, name), { recursive: true });
      ownMail(join(folder, name));
    }
  };
  return {
    add(raw, at) {
      made();
      counter.next += 1;
      // The server numbers what is new by its names.
      const [seconds, count] = [
        Math.floor(Date.now() / 1000),
        String(counter.next).padStart(9, "0"),
      ];
      const name = `${seconds}.M${count}P${process.pid}.test`;
      const path = join(folder, "tmp", name);
      writeFileSync(path, raw);
      ownMail(path);
      if (at) utimesSync(path, at, at);
      renameSync(path, join(folder, "new", name));
    },
    list: () => listed(folder),
    remove(at) {
      const path = files(folder)[at]?.path;
      if (path) rmSync(path);
    },
    recreate(how) {
      const kept = files(folder);
      const validity = validityOf(folder);
      const aside = `${folder}.aside`;
      mkdirSync(aside);
      for (const { path, name } of kept) renameSync(path, join(aside, name.replace(/:2,.*$/, "")));
      rmSync(folder, { recursive: true });
      made();
      if (how === "kept")
        for (const name of readdirSync(aside))
          renameSync(join(aside, name), join(folder, "new", name));
      rmSync(aside, { recursive: true });
      // The server takes the time for it, in seconds: it could be the same.
      writeFileSync(join(folder, uidList), `3 V${validity + 1000} N1\n`);
      ownMail(join(folder, uidList));
    },
  };
}

function validityOf(folder: string): number {
  const path = join(folder, uidList);
  const head = existsSync(path) ? readFileSync(path, "latin1") : "";
  return Number(/ V(\d+)/.exec(head)?.[1] ?? Math.floor(Date.now() / 1000));
}

function files(folder: string) {
  const found = ["new", "cur"].flatMap((part) => {
    const inside = join(folder, part);
    const names = existsSync(inside) ? readdirSync(inside) : [];
    return names.map((name) => ({ name, path: join(inside, name) }));
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The server renames what it marks: then it is looked at anew. */
function listed(folder: string, tries = 10): Kept[] {
  try {
    return files(folder).map(({ path, name }) => keptIn(path, name));
  } catch (error) {
    if (tries === 0) throw error;
    return listed(folder, tries - 1);
  }
}

function keptIn(path: string, name: string): Kept {
  const head = readFileSync(path, "latin1").split(/\r?\n\r?\n/)[0] ?? "";
  const messageId = /^message-id:\s*(<[^>]*>)/im.exec(head)?.[1] ?? "";
  return { messageId, seen: /:2,[A-Z]*S/.test(name) };
}
