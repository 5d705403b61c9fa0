// A real DNS server on loopback: keys, policies and servers of test domains, and names that fail.
import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import dns2, { Packet } from "dns2";

/** `timeout`: no answer at all. */
export type DnsFault = "servfail" | "timeout" | "nxdomain" | "refused";

export interface Srv {
  readonly target: string;
  readonly port: number;
  readonly priority?: number;
  readonly weight?: number;
}

export interface MailDns {
  /** `127.0.0.1:PORT`, as `channels.email.dns` wants it. */
  readonly at: string;
  /** What was asked for so far: `TXT _dmarc.example.org`. */
  readonly asked: readonly string[];
  /** The TXT records of a name, instead of those it had. */
  txt(name: string, ...values: string[]): void;
  srv(name: string, ...targets: Srv[]): void;
  address(name: string, ...addresses: string[]): void;
  /** From now on the name answers so, whatever it holds; undefined heals it. */
  fault(name: string, fault: DnsFault | undefined): void;
  close(): Promise<void>;
}

interface Answer {
  readonly type: number;
  readonly data: Readonly<Record<string, unknown>>;
}
type Request = InstanceType<typeof Packet>;

const longest = 255;
const { TYPE, CLASS, RCODE } = Packet;
const rcodes = { servfail: RCODE.SERVFAIL, refused: RCODE.REFUSED, nxdomain: RCODE.NXDOMAIN };

/** Character strings of a TXT record hold 255 bytes at most. */
function chunks(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  const count = Math.max(1, Math.ceil(bytes.length / longest));
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * longest, (at + 1) * longest));
}

/** Names in the data of an SRV record may not be compressed, and real resolvers refuse it. */
function uncompressed(response: Request): Request {
  const toBuffer = response.toBuffer as (writer: object) => Buffer;
  response.toBuffer = () =>
    toBuffer.call(response, Object.assign(new Packet.Writer(), { names: {} }));
  return response;
}

class Zone {
  readonly asked: string[] = [];
  readonly faults = new Map<string, DnsFault>();
  private readonly records = new Map<string, Answer[]>();

  replace(name: string, type: number, data: readonly Answer["data"][]): void {
    const others = (this.records.get(name.toLowerCase()) ?? []).filter((one) => one.type !== type);
    this.records.set(name.toLowerCase(), [...others, ...data.map((one) => ({ type, data: one }))]);
  }

  /** Undefined: no answer. */
  answer(request: Request): Request | undefined {
    const response = Packet.createResponseFromRequest(request);
    response.header.ra = 1;
    const [question] = request.questions;
    if (!question) return undefined;
    const name = question.name.toLowerCase();
    this.asked.push(`${Packet.typeName(question.type)} ${name}`);
    const fault = this.faults.get(name);
    if (fault === "timeout") return undefined;
    const records = this.records.get(name);
    response.header.rcode = fault ? rcodes[fault] : this.exists(name) ? 0 : RCODE.NXDOMAIN;
    if (fault || !records) return response;
    for (const { type, data } of records.filter((one) => one.type === question.type)) {
      response.answers.push({
        name: question.name,
        type,
        class: CLASS.IN,
        ttl: 0,
        ...data,
      } as never);
    }
    return uncompressed(response);
  }

  /** A name exists as well when one below it does. */
  private exists(name: string): boolean {
    return [...this.records.keys()].some((known) => known === name || known.endsWith(`.${name}`));
  }
}

async function listen(zone: Zone) {
  const handle = (request: Request, send: (response: Request) => unknown) => {
    const response = zone.answer(request);
    if (response) void send(response);
  };
  const udp = dns2.createUDPServer(handle as never);
  udp.bind({ port: 0, address: "127.0.0.1" });
  await once(udp, "listening");
  const { port } = udp.address() as AddressInfo;
  const tcp = dns2.createTCPServer(handle as never) as unknown as Server;
  const open = new Set<Socket>();
  tcp.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
  });
  try {
    tcp.listen(port, "127.0.0.1");
    await once(tcp, "listening");
  } catch (error) {
    udp.close();
    throw error;
  }
  return { udp, tcp, open, port };
}

/** The port that is free for datagrams may be somebody's for connections. */
async function listenSomewhere(zone: Zone, tries = 10): ReturnType<typeof listen> {
  try {
    return await listen(zone);
  } catch (error) {
    if (tries === 1) throw error;
    return await listenSomewhere(zone, tries - 1);
  }
}

export async function startMailDns(): Promise<MailDns> {
  const zone = new Zone();
  const { udp, tcp, open, port } = await listenSomewhere(zone);
  return {
    at: `127.0.0.1:${port}`,
    asked: zone.asked,
    txt: (name, ...values) =>
      zone.replace(
        name,
        TYPE.TXT,
        values.map((value) => ({ data: chunks(value) })),
      ),
    srv: (name, ...targets) =>
      zone.replace(
        name,
        TYPE.SRV,
        targets.map((one) => ({ priority: 0, weight: 0, ...one })),
      ),
    address: (name, ...addresses) =>
      zone.replace(
        name,
        TYPE.A,
        addresses.map((address) => ({ address })),
      ),
    fault: (name, fault) => {
      if (fault) zone.faults.set(name.toLowerCase(), fault);
      else zone.faults.delete(name.toLowerCase());
    },
    async close() {
      await setImmediate();
      const closed = [once(udp, "close"), once(tcp, "close")];
      udp.close();
      tcp.close();
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}
