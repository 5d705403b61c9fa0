// How the mailbox is: when its server was heard last, what is wrong, and whether it only looks connected.
import type { ListenerHealth } from "../../src/core/channel.ts";

type State = ListenerHealth["state"];

export interface Health {
  /** The server answered, or told something. */
  contact(): void;
  /** Something was accepted. */
  event(): void;
  /** Signed in, and the folder is open. */
  connected(): void;
  trouble(state: State, why: string): void;
  /** What came in could not be kept, or can be again. */
  unstored(why: string | undefined): void;
  /** Why no mail goes out, or that one did. */
  unsent(why: string | undefined): void;
  /** So many mails wait for DNS; shown while nothing worse is known. */
  waiting(count: number): void;
  stopped(): void;
  read(): ListenerHealth;
}

/** `id`: of the listener, for what an operator can do. */
export function createHealth(id: string, deafSeconds: number): Health {
  const since = Date.now();
  const known: {
    state: State;
    lastContact?: number;
    lastEvent?: number;
    connection?: string | undefined;
    intake?: string | undefined;
    sending?: string | undefined;
    waiting?: string | undefined;
  } = { state: "starting" };
  return {
    contact() {
      known.lastContact = Date.now();
    },
    event() {
      known.lastEvent = Date.now();
    },
    connected() {
      if (known.state === "stopped") return;
      known.state = "connected";
      known.lastContact = Date.now();
      known.connection = undefined;
    },
    trouble(state, why) {
      if (known.state === "stopped") return;
      known.state = state;
      known.connection = why;
    },
    unstored(why) {
      known.intake = why;
    },
    unsent(why) {
      known.sending = why === undefined ? undefined : `mail cannot be sent: ${why}`;
    },
    waiting(count) {
      const mails = count === 1 ? "1 mail waits" : `${count} mails wait`;
      known.waiting =
        count === 0
          ? undefined
          : `${mails} until it can be found out whom they are from: see that DNS answers on this machine, or set channels.ID.dns.`;
    },
    stopped() {
      known.state = "stopped";
    },
    read() {
      const { state, lastContact, lastEvent, connection, intake, sending, waiting } = known;
      const silent = Date.now() - (lastContact ?? since) > deafSeconds * 1000;
      const deaf = silent && state !== "stopped" && state !== "unauthorised";
      const why = connection ?? intake ?? sending ?? waiting;
      return {
        state: deaf ? "deaf" : state,
        ...(lastContact === undefined ? {} : { lastContact }),
        ...(lastEvent === undefined ? {} : { lastEvent }),
        ...(why === undefined ? {} : { lastError: why.replace(/\bID(?=\.)/g, () => id) }),
      };
    },
  };
}
