// A desk whose channel vouches for nobody, as mail does: each message comes with what proved whom it is from, or is silent.
import type { InboundMessage } from "../../src/core/events.ts";
import type { AuditRow } from "../../src/store/audit.ts";
import { listAudit } from "../../src/store/audit.ts";
import type { Store } from "../../src/store/store.ts";
import { createDesk, type Desk } from "./desk.ts";

export interface MailDesk extends Desk {
  /** From a proved address. */
  mail(address: string, text: string, more?: Partial<InboundMessage>): Promise<InboundMessage>;
  /** What is not proved: as the channel hands it on. */
  unproved(address: string, why: string): Promise<InboundMessage>;
}

export const reason = "DKIM example.org, DMARC pass";

export function createMailDesk(id = "email", more: Partial<Desk["channel"]> = {}): MailDesk {
  const desk = createDesk(id, { buttons: 0 });
  return {
    ...desk,
    channel: { ...desk.channel, name: "email", answersPerHour: 10, ...more },
    mail(address, text, event = {}) {
      const account = address.toLowerCase();
      const sender = { account, name: account, proof: { address, reason } };
      return desk.say(account, text, { sender, ...event });
    },
    unproved(address, why) {
      const account = `unproved:${address}`;
      return desk.say(account, "", { sender: { account, name: "" }, silent: why });
    },
  };
}

/** The newest first. */
export function audits(store: Store, action = "message"): Promise<readonly AuditRow[]> {
  return store.run(() => listAudit(100, { action }));
}
