// The fake Slack in Socket Mode as a stage: an envelope that is not acknowledged comes again over the next socket.
import type { Delivery } from "../fakes/slack-deliveries.ts";
import { type FakeSlack, startSlackServer } from "../fakes/slack-server.ts";
import type { Params } from "../fakes/telegram-types.ts";
import type { HoldSend, Member, Stage } from "./kill-stage.ts";

export async function slackStage(): Promise<Stage> {
  const fake = await startSlackServer();
  const { faults, deliveries, sockets } = fake;
  const isTo =
    ({ place }: Member, wanted: HoldSend["wanted"] = () => true) =>
    ({ channel, text }: Params) =>
      channel === place && wanted(String(text));
  const unconfirmed = () => deliveries.all.filter(isOpen).filter(isOfPeople).length;
  const listening = () => unconfirmed() === 0 && sockets.open > 0;
  const holdAll = (method: "envelope" | "ack") => {
    const { arrived } = faults.stallAt(method, { times: Number.POSITIVE_INFINITY });
    return { arrived, release: () => faults.clear() };
  };
  return {
    channel: "slack",
    url: `${fake.url}/api`,
    token: fake.token,
    appToken: fake.appToken,
    // With these a card, a growing answer and a whole one are on the wire, and a connection dies.
    seeds: [10, 15, 24],
    keepsPresses: false,
    sendsOnce: false,
    member: (name) => memberOf(fake, name),
    unconfirmed,
    listening: () => fake.waitFor(listening, { timeoutMs: 15_000 }),
    holdIncoming: () => holdAll("envelope"),
    holdConfirming: () => holdAll("ack"),
    holdSend: (to, { when, wanted }) =>
      faults.stallAt("chat.postMessage", { when, match: isTo(to, wanted) }),
    dropSend: (to) => faults.drop("chat.postMessage", { match: isTo(to) }),
    holdPressAnswer: () => faults.stallAt("ack"),
    clear: () => faults.clear(),
    close: () => fake.close(),
  };
}

function isOpen({ state }: Delivery): boolean {
  return state === "waiting" || state === "sent";
}

/** The bot is told of its own messages and edits as well. */
function isOfPeople({ payload }: Delivery): boolean {
  const { event = {} } = payload as { event?: Params };
  const { bot_id } = (event.message ?? event) as Params;
  return bot_id === undefined;
}

function memberOf(fake: FakeSlack, name: string): Member {
  const person = fake.user({ name });
  const place = fake.dm(person);
  return {
    name,
    place,
    says: (text) => `${fake.me.team}:${place}:${person.sends(place, text)}`,
    presses: ({ id }, label) => void person.presses(id, label),
    pressesLate({ id }, { label, data }) {
      const [actionId = "", value] = JSON.parse(data) as string[];
      const before = fake.ephemerals(person).length;
      person.presses(id, label, { was: { text: label, actionId, value } });
      return { answer: () => fake.ephemerals(person)[before]?.text };
    },
    heard: () =>
      fake
        .messages(place)
        .filter(({ byBot, onlyFor }) => byBot && !onlyFor)
        .map(({ ts, text, buttons }) => ({
          id: ts,
          text,
          buttons: buttons.map((button) => ({
            label: button.text,
            data: JSON.stringify([button.actionId, button.value]),
          })),
        })),
    transcript: () => fake.transcript(place),
  };
}
