// A real Dovecot on loopback with accounts of its own, in a temporary folder; it goes with the test.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { configure, type DovecotSettings, type Place } from "./dovecot-config.ts";
import { lmtp } from "./dovecot-lmtp.ts";
import { type Maildir, openMaildir } from "./dovecot-maildir.ts";
import { type Certificate, makeCertificate } from "./mail-certificate.ts";

const program = "/usr/sbin/dovecot";
/** All of the group goes when one of them does: the server by itself, or whoever holds the other end of its input. */
const guarded = '{ "$0" "$@"; kill -KILL 0; } & read -r nothing; kill -KILL 0';

/** For `it`: every test here needs Dovecot; in CI its absence is an error. */
export const withDovecot = {
  skip: existsSync(program) || process.env.CI ? false : `needs Dovecot: no ${program}`,
  timeout: 60_000,
};

export interface DovecotOptions extends DovecotSettings {
  /** Address to password. */
  readonly accounts?: Readonly<Record<string, string>>;
  readonly certificate?: Certificate;
}

export interface Dovecot {
  /** IMAP with STARTTLS, IMAP with TLS, LMTP. */
  readonly ports: { readonly imap: number; readonly imaps: number; readonly lmtp: number };
  /** imaps:// */
  readonly url: string;
  /** What a client has to trust: PEM, and the same as a file. */
  readonly ca: string;
  readonly caFile: string;
  /** The first account, and its password. */
  readonly account: string;
  readonly password: string;
  /** Puts a mail into INBOX and resolves when it is there; by writing it into the folder, so that it stays as it is. */
  deliver(raw: string | Buffer, account?: string): Promise<void>;
  /** The same as a mail server does it, with its own lines on top; mails go in one after the other. */
  deliverByLmtp(raw: string | Buffer, account?: string): Promise<void>;
  mailbox(account?: string): Maildir;
  /** All at once without a word, as when the machine dies. */
  kill(): Promise<void>;
  /** On the same ports, with the same mail. */
  start(): Promise<void>;
  /** INBOX becomes another one, with other UIDs; `empty`: what was in it is gone. */
  recreate(how?: "empty" | "kept"): Promise<void>;
  close(): Promise<void>;
}

/** With `t` it ends with the test; without, whoever started it closes it. */
export async function startDovecot(
  options: DovecotOptions = {},
  t?: Pick<TestContext, "after">,
): Promise<Dovecot> {
  const { accounts = { "agent@example.org": "sesame" } } = options;
  const [account = "", password = ""] = Object.entries(accounts)[0] ?? [];
  const folder = mkdtempSync(join(tmpdir(), "dovecot-"));
  const certificate = options.certificate ?? makeCertificate();
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, certificate.cert);
  const place = { folder, accounts, certificate, settings: options };
  const { server, ports } = await started(place).catch((error) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const mailbox = (of = account) => openMaildir(join(folder, "mail", of));
  const close = async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  t?.after(close);
  return {
    ports,
    url: `imaps://localhost:${ports.imaps}`,
    ca: certificate.cert,
    caFile,
    account,
    password,
    deliver: async (raw, to) => mailbox(to).add(raw),
    deliverByLmtp: (raw, to = account) => lmtp(ports.lmtp, to, raw),
    mailbox,
    kill: server.kill,
    start: server.again,
    async recreate(how = "empty") {
      await server.kill();
      mailbox().recreate(how);
      await server.again();
    },
    close,
  };
}

/** A port that was free a moment ago may be taken by now. */
async function started(place: Omit<Place, "ports">, tries = 5) {
  const [imap = 0, imaps = 0, lmtpPort = 0] = await freePorts(3);
  const ports = { imap, imaps, lmtp: lmtpPort };
  const server = runner(configure({ ...place, ports }), imap);
  try {
    await server.start();
    return { server, ports };
  } catch (error) {
    await server.kill();
    if (tries === 1) throw error;
    return await started(place, tries - 1);
  }
}

function runner(file: string, port: number) {
  let running: ChildProcess | undefined;
  const kill = async () => {
    const child = running;
    running = undefined;
    if (child?.pid === undefined) return;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
    // The whole group: on SIGTERM it waits for clients that idle.
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
    await ended;
  };
  const start = async (): Promise<void> => {
    const child = spawn("/bin/sh", ["-c", guarded, program, "-F", "-c", file], {
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
    });
    running = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = once(child, "exit").then(() => assert.fail(`Dovecot ended: ${said}`));
    ended.catch(() => undefined);
    await Promise.race([greeted(port), ended]);
  };
  return {
    kill,
    start,
    /** What was killed just now may hold the ports for a moment. */
    async again() {
      for (let tries = 0; tries < 20; tries += 1) {
        const done = await start().then(
          () => true,
          () => false,
        );
        if (done) return;
        await kill();
        await sleep(100);
      }
      await start();
    },
  };
}

/** Resolves once the server says its first line. */
async function greeted(port: number): Promise<void> {
  const until = Date.now() + 10_000;
  while (Date.now() < until) {
    const hello = await firstBytes(port);
    if (hello.startsWith("* OK")) return;
    await sleep(20);
  }
  assert.fail("Dovecot did not greet anybody in 10 s");
}

function firstBytes(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (text: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(2000, () => end(""));
    socket.once("data", (data) => end(data.toString("latin1")));
    socket.once("error", () => end(""));
    socket.once("end", () => end(""));
  });
}

/** Held at the same time, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
