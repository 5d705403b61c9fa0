// The fake Telegram as a stage: everything is told again until an offset confirms it.
import type { Person } from "../fakes/telegram-people.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";
import type { FakeChat, Params } from "../fakes/telegram-types.ts";
import type { HoldSend, Member, Stage } from "./kill-stage.ts";

export interface TelegramMember extends Member {
  readonly person: Person;
  readonly chat: FakeChat;
}

export interface TelegramStage extends Stage<TelegramMember> {
  readonly fake: FakeTelegram;
}

export async function telegramStage(): Promise<TelegramStage> {
  const fake = await startTelegramServer();
  const { faults, queue } = fake;
  return {
    fake,
    channel: "telegram",
    url: fake.url,
    token: fake.token,
    seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    keepsPresses: true,
    sendsOnce: false,
    member: (name) => memberOf(fake, name),
    unconfirmed: () => queue.unconfirmed,
    listening: () => fake.waitFor(() => queue.unconfirmed === 0 && queue.polling),
    holdIncoming: () => faults.stallAt("getUpdates", { when: "stored" }),
    holdConfirming: () =>
      faults.stallAt("getUpdates", { match: ({ offset }) => Number(offset) > 0 }),
    holdSend: ({ chat }, { when, wanted }: HoldSend) =>
      faults.stallAt("sendMessage", {
        when,
        match: (params) => isTo(chat, params) && wanted(String(params.text)),
      }),
    dropSend: ({ chat }) => faults.drop("sendMessage", { match: (params) => isTo(chat, params) }),
    holdPressAnswer: () => faults.stallAt("answerCallbackQuery"),
    clear: () => faults.clear(),
    close: () => fake.close(),
  };
}

function isTo({ id }: FakeChat, { chat_id }: Params): boolean {
  return chat_id === id;
}

function memberOf(fake: FakeTelegram, name: string): TelegramMember {
  const person = fake.user({ name });
  const chat = fake.privateChat(person);
  const [bot] = fake.token.split(":");
  return {
    name,
    person,
    chat,
    place: String(chat.id),
    says: (text) => `${bot}:${chat.id}:${person.sends(chat, text).messageId}`,
    presses: ({ id }, label) => void person.presses(chat, Number(id), label),
    pressesLate({ id }, { data }) {
      const { queryId } = person.presses(chat, Number(id), data, { inaccessible: true });
      return { answer: () => fake.press(queryId)?.answers[0]?.text };
    },
    heard: () =>
      fake
        .messages(chat)
        .filter(({ byBot }) => byBot)
        .map(({ id, text, buttons }) => ({
          id: String(id),
          text,
          buttons: buttons
            .flat()
            .map((button) => ({ label: button.text, data: button.callback_data ?? "" })),
        })),
    transcript: () => fake.transcript(chat),
  };
}
