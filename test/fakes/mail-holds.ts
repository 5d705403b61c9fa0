// Mails of the agent that stay at the SMTP server until a test lets go of them.
import type { SeenMail } from "./mail-seen.ts";

export interface HoldMail {
  readonly to: string;
  /** Before the person has it, or after and before the agent is told so. */
  readonly when: "before" | "stored";
  readonly wanted?: (mail: SeenMail) => boolean;
}

export interface MailHold {
  /** Resolves when a mail is held. */
  readonly arrived: Promise<SeenMail>;
  release(): void;
}

interface Held extends HoldMail {
  readonly until: Promise<void>;
  readonly arrive: (mail: SeenMail) => void;
  readonly release: () => void;
}

export class MailHolds {
  readonly #waiting = new Set<Held>();
  readonly #all: Held[] = [];

  add(how: HoldMail): MailHold {
    let arrive: Held["arrive"] = () => {};
    let end = () => {};
    const arrived = new Promise<SeenMail>((resolve) => {
      arrive = resolve;
    });
    const until = new Promise<void>((resolve) => {
      end = resolve;
    });
    const release = () => {
      this.#waiting.delete(held);
      end();
    };
    const held: Held = { ...how, until, arrive, release };
    this.#waiting.add(held);
    this.#all.push(held);
    return { arrived, release };
  }

  /** What holds this mail, once. */
  take(mail: SeenMail): Held | undefined {
    const found = [...this.#waiting].find(
      ({ to, wanted }) => mail.envelope.to.includes(to) && (wanted?.(mail) ?? true),
    );
    if (!found) return undefined;
    this.#waiting.delete(found);
    found.arrive(mail);
    return found;
  }

  clear(): void {
    for (const held of this.#all.splice(0)) held.release();
  }
}
