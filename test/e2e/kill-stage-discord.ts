// The fake Discord as a stage: nothing is ever confirmed, and a gateway that was away has to ask for what it missed.
import type { Call } from "../fakes/discord-faults.ts";
import { type FakeDiscord, startDiscordServer } from "../fakes/discord-server.ts";
import type { Channel } from "../fakes/discord-types.ts";
import type { HoldSend, Member, Stage } from "./kill-stage.ts";

export async function discordStage(): Promise<Stage> {
  const fake = await startDiscordServer();
  const { faults, gateway } = fake;
  const isTo =
    ({ place }: Member, wanted: HoldSend["wanted"] = () => true) =>
    ({ channel, content }: Call["params"]) =>
      channel === place && wanted(String(content));
  return {
    channel: "discord",
    url: fake.url,
    token: fake.token,
    // With these a card, a growing answer and a whole one are on the wire, and a connection dies.
    seeds: [10, 15, 24],
    keepsPresses: false,
    sendsOnce: true,
    member: (name) => memberOf(fake, name),
    unconfirmed: () => undefined,
    listening: () => fake.waitFor(() => gateway.connected, { timeoutMs: 15_000 }),
    holdIncoming() {
      gateway.deafen();
      return { arrived: Promise.resolve(), release: () => gateway.calm() };
    },
    holdConfirming: () => undefined,
    holdSend: (to, { when, wanted }) =>
      faults.stallAt("createMessage", { when, match: isTo(to, wanted) }),
    dropSend: (to) => faults.drop("createMessage", { match: isTo(to) }),
    holdPressAnswer: () => faults.stallAt("respond"),
    clear() {
      gateway.calm();
      faults.clear();
    },
    close: () => fake.close(),
  };
}

function memberOf(fake: FakeDiscord, name: string): Member {
  const person = fake.user({ name });
  const chat: Channel = fake.dm(person);
  return {
    name,
    place: chat.id,
    says: (text) => `${fake.me.id}:${chat.id}:${person.sends(chat, text).messageId}`,
    presses: ({ id }, label) => void person.presses(id, label),
    pressesLate(card, { data }) {
      const { interactionId } = person.presses(card.id, data, { stale: true });
      return { answer: () => fake.interaction(interactionId).answers[0]?.text };
    },
    heard: () =>
      fake
        .messages(chat)
        .filter(({ byBot, onlyFor }) => byBot && !onlyFor)
        .map(({ id, text, buttons }) => ({
          id,
          text: shown(text),
          buttons: buttons
            .flat()
            .map((button) => ({ label: button.text, data: button.customId ?? "" })),
        })),
    transcript: () => fake.transcript(chat),
  };
}

/** Without the marks that people do not see. */
function shown(text: string): string {
  return text.replaceAll(/\*\*|\\(?=[^\w\s])/g, "");
}
