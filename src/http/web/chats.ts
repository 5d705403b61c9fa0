// Whose a chat of the page is: its name begins with the pairing's id, so no look-up can go wrong.
import type { PairingId } from "../../core/words.ts";

/** Of a further chat, behind the pairing and a dot. */
const further = /^[\w-]{8,32}$/;

export function isChatOf(pairing: PairingId, chat: string): boolean {
  if (chat === pairing) return true;
  return chat.startsWith(`${pairing}.`) && further.test(chat.slice(pairing.length + 1));
}

/** The pairing in a chat, press or upload of ours: ids of pairings hold no dot. */
export function ownerOf(id: string): PairingId {
  const [owner = ""] = id.split(".", 1);
  return owner;
}

/** What follows the pairing. */
export function restOf(id: string): string {
  return id.slice(ownerOf(id).length + 1);
}
